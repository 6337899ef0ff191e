// Sessions over HTTP: what they keep, whose they are, and what becomes of two turns at once.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { sendError, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { agent, send, startTalk, type Talk, turn } from "../../support/sessions/talk.ts";

let talk: Talk;
afterEach(() => talk.close());

/** Says how many of the user's words it was sent. */
function counts(request: UpstreamRequest, response: ServerResponse): void {
  sendText(response, `I have heard ${request.body.messages.filter(({ role }) => role === "user").length}.`);
}

describe("a session", () => {
  it("puts what was said before what is new, as it was said", async () => {
    talk = await startTalk(counts);
    expect((await turn(talk, "s1", "one")).body.choices[0].message.content).toBe("I have heard 1.");
    expect((await turn(talk, "s1", "two")).body.choices[0].message.content).toBe("I have heard 2.");
    expect(talk.said()).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "I have heard 1." },
      { role: "user", content: "two" },
    ]);
    expect((await send(`${talk.url}/v1/agent/sessions/s1`, "GET")).body).toMatchObject({
      id: "s1",
      mode: "agent",
      message_count: 4,
      messages: [{ role: "user", content: "one" }, {}, {}, { role: "assistant", content: "I have heard 2." }],
    });
  });

  it("keeps no mark of text mode, and no call of the gateway's own", async () => {
    const call = '<tool_call>{"name": "calculator", "arguments": {"expression": "6 * 7"}}</tool_call>';
    const answers = [`Let me see.\n${call}`, "<think>Right.</think>It is 42."];
    talk = await startTalk(
      (_request, response) => sendText(response, answers.shift() ?? "I said so."),
      () => ({
        operatorModels: [{ match: ["*"], tools: "text", emulate: "hermes-json", why: "test" }],
        agents: [agent({ tool: "calculator" })],
      }),
    );
    await turn(talk, "s1", "six times seven?");
    await turn(talk, "s1", "sure?");
    const { messages } = (await send(`${talk.url}/v1/agent/sessions/s1`, "GET")).body;
    expect(messages.map(({ content }: { readonly content: string }) => content)).toEqual([
      "six times seven?",
      "Let me see.\n\nIt is 42.",
      "sure?",
      "I said so.",
    ]);
  });

  it("keeps instructions that come with every request once", async () => {
    talk = await startTalk(counts);
    const system = { role: "system", content: "Be short." };
    for (const content of ["one", "two"]) {
      const messages = [system, { role: "user", content }];
      await send(`${talk.url}/v1/agent`, "POST", { model: "m", messages, session_id: "s1" });
    }
    expect(talk.said().filter(({ role }) => role === "system")).toEqual([system]);
  });

  it("is left as it was by a turn that failed", async () => {
    let fails = false;
    talk = await startTalk((request, response) => (fails ? sendError(response, 500, "no") : counts(request, response)));
    await turn(talk, "s1", "one");
    fails = true;
    expect((await turn(talk, "s1", "two")).status).toBe(502);
    fails = false;
    expect((await turn(talk, "s1", "two, again")).body.choices[0].message.content).toBe("I have heard 2.");
  });

  it("holds the client's calls and takes their results as what is new", async () => {
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
    talk = await startTalk((request, response) =>
      request.body.messages.at(-1)?.role === "tool"
        ? sendText(response, "Seen.")
        : sendText(response, '<tool_call>{"name": "look", "arguments": {}}</tool_call>'),
    );
    const asked = (await turn(talk, "s1", "look!", { tools })).body.choices[0].message;
    const [call] = asked.tool_calls;
    const result = { role: "tool", tool_call_id: call.id, content: '{"decision": "a tree"}' };
    const answer = await send(`${talk.url}/v1/agent`, "POST", {
      model: "m",
      messages: [result],
      session_id: "s1",
      tools,
    });
    expect(answer.body.choices[0].message.content).toBe("Seen.");
    expect(talk.said().map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("is answered once at a time: who comes second is told to come again", async () => {
    const askedOne = Promise.withResolvers<ServerResponse>();
    const askedMine = Promise.withResolvers<ServerResponse>();
    talk = await startTalk(({ body }, response) =>
      (body.messages[0]?.content === "mine" ? askedMine : askedOne).resolve(response),
    );
    const first = turn(talk, "s1", "one");
    const upstream = await askedOne.promise;
    const second = await turn(talk, "s1", "two");
    expect([second.status, second.body.error.code]).toEqual([409, "session_busy"]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send(`${talk.url}/v1/agent/sessions/s1`, "DELETE")).status).toBe(409);
    const other = turn(talk, "s1", "mine", {}, "ben");
    sendText(upstream, "Done.");
    expect((await first).body.choices[0].message.content).toBe("Done.");
    sendText(await askedMine.promise, "Done.");
    await other;
    expect((await send(`${talk.url}/v1/agent/sessions/s1`, "DELETE")).status).toBe(200);
    expect((await send(`${talk.url}/v1/agent/sessions/s1`, "GET")).status).toBe(404);
  });

  it("is free again once its caller has left", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    talk = await startTalk((request, response) =>
      request.body.messages.length === 1 && request.body.messages[0]?.content === "one"
        ? asked.resolve(response)
        : counts(request, response),
    );
    const leaving = new AbortController();
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "one" }], session_id: "s1" });
    const headers = { authorization: "Bearer ada", "content-type": "application/json" };
    const left = fetch(`${talk.url}/v1/agent`, { method: "POST", headers, body, signal: leaving.signal }).catch(
      () => "left",
    );
    const upstream = await asked.promise;
    leaving.abort();
    await left;
    await once(upstream, "close");
    let second = await turn(talk, "s1", "two");
    for (let tries = 0; second.status === 409 && tries < 50; tries += 1) second = await turn(talk, "s1", "two");
    expect(second.body.choices[0].message.content).toBe("I have heard 1.");
  });

  it("keeps its history from one mode to the other, and has the agent's tools in one of them", async () => {
    talk = await startTalk(counts, () => ({ agents: [agent({ tool: "calculator" })] }));
    await turn(talk, "s1", "one", { mode: "normal" });
    const bare = talk.upstream.requests.at(-1)?.body.tools;
    await turn(talk, "s1", "two", { mode: "agent" });
    expect([bare, talk.upstream.requests.at(-1)?.body.tools]).toEqual([undefined, [expect.anything()]]);
    expect(talk.said()).toHaveLength(3);
    expect((await send(`${talk.url}/v1/agent/sessions/s1`, "POST", { mode: "normal" })).body.mode).toBe("normal");
    await turn(talk, "s1", "three");
    expect(talk.upstream.requests.at(-1)?.body.tools).toBeUndefined();
    expect(talk.said()).toHaveLength(5);
  });

  it.each(["..", ".git", "a/b", "a b", "a%00", "..\u2215x", "", "x".repeat(129), "run_1' /*"])(
    "of the id %j is none",
    async (id) => {
      talk = await startTalk(counts);
      const answer = await turn(talk, id, "hi");
      expect([answer.status, answer.body.error.param]).toEqual([400, "session_id"]);
      const path = await send(`${talk.url}/v1/agent/sessions/${encodeURIComponent(id)}`, "DELETE");
      expect([400, 404, 405]).toContain(path.status);
    },
  );
});

describe("owners", () => {
  it("see nothing of each other: another's id is one that never was", async () => {
    talk = await startTalk(counts);
    const { run_id } = (await turn(talk, "s1", "one")).body.postel;
    const never = await send(`${talk.url}/v1/agent/sessions/s2`, "GET");
    for (const path of ["sessions/s1", `sessions/s1/export`, `runs/${run_id}`, `runs/${run_id}/events`]) {
      expect((await send(`${talk.url}/v1/agent/${path}`, "GET", undefined, "ben")).status).toBe(404);
    }
    const others = await send(`${talk.url}/v1/agent/sessions/s1`, "GET", undefined, "ben");
    expect(others.body.error.message.replace("s1", "s2")).toBe(never.body.error.message);
    for (const [method, path, body] of [
      ["DELETE", "sessions/s1", undefined],
      ["POST", "sessions/s1", { mode: "normal" }],
      ["POST", `runs/${run_id}/cancel`, undefined],
      ["POST", `runs/${run_id}/feedback`, { rating: 1 }],
      ["POST", `runs/${run_id}/resume`, {}],
    ] as const) {
      expect((await send(`${talk.url}/v1/agent/${path}`, method, body, "ben")).status).toBe(404);
    }
    expect((await send(`${talk.url}/v1/agent/sessions`, "GET", undefined, "ben")).body.data).toEqual([]);
    expect((await turn(talk, "s1", "mine", {}, "ben")).body.choices[0].message.content).toBe("I have heard 1.");
    expect((await turn(talk, "s1", "two")).body.choices[0].message.content).toBe("I have heard 2.");
  });

  it("are named by an admin alone", async () => {
    talk = await startTalk(counts);
    await turn(talk, "s1", "one");
    const seen = await send(`${talk.url}/v1/agent/sessions?owner=ada`, "GET", undefined, "root");
    expect(seen.body.data).toMatchObject([{ id: "s1" }]);
    const refused = await send(`${talk.url}/v1/agent/sessions?owner=ada`, "GET", undefined, "ben");
    expect([refused.status, refused.body.error.code]).toEqual([403, "not_permitted"]);
  });

  it("do what their keys allow", async () => {
    talk = await startTalk(counts);
    expect((await turn(talk, "s1", "one", {}, "ada.decides")).status).toBe(403);
    expect((await turn(talk, "s1", "one", {}, "ada.asks")).status).toBe(200);
    expect(
      (await send(`${talk.url}/v1/agent/runs/r/interrupts/abcdefghi`, "POST", { decision: "cancel" }, "ada.asks"))
        .status,
    ).toBe(403);
  });
});

describe("lists", () => {
  it("are paged, the youngest first, and sorted by nothing that a caller writes", async () => {
    talk = await startTalk(counts);
    for (const id of ["a", "b", "c"]) await turn(talk, id, "hi");
    const page = await send(`${talk.url}/v1/agent/sessions?limit=2`, "GET");
    expect(page.body).toMatchObject({ data: [{ id: "c" }, { id: "b" }], has_more: true });
    const next = await send(`${talk.url}/v1/agent/sessions?limit=2&before=${page.body.next}`, "GET");
    expect(next.body).toMatchObject({ data: [{ id: "a" }], has_more: false });
    for (const query of ["order_by=(CASE WHEN 1=1 THEN id END)", "limit=0", "limit=1e3", "before=x"]) {
      expect((await send(`${talk.url}/v1/agent/sessions?${query}`, "GET")).status).toBe(400);
    }
    expect((await send(`${talk.url}/v1/agent/runs?session=b`, "GET")).body.data).toMatchObject([{ session_id: "b" }]);
  });

  it("of one session hold all of it", async () => {
    talk = await startTalk(counts);
    await turn(talk, "s1", "one");
    const { body } = await send(`${talk.url}/v1/agent/sessions/s1/export`, "GET");
    expect(body).toMatchObject({
      id: "s1",
      messages: [{ content: "one" }, {}],
      runs: [{ status: "ended", outcome: "answered" }],
    });
  });
});
