// Runs over HTTP: begun for nobody, watched from anywhere, cancelled, rated.

import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "@jest/globals";
import { chunk, sendText } from "../../support/FakeUpstream.ts";
import { type Reply, send, startTalk, type Talk, turn } from "../../support/sessions/talk.ts";

let talk: Talk;
afterEach(() => talk.close());

interface Seen {
  readonly id: number;
  readonly event: { readonly type: string; readonly text?: string; readonly outcome?: string };
}

const background = { model: "m", messages: [{ role: "user", content: "go" }], background: true };

/** A model whose first answer goes on when the test says so. */
function heldModel() {
  const held = Promise.withResolvers<ServerResponse>();
  let asked = 0;
  return {
    answer: (_request: unknown, response: ServerResponse) => {
      asked += 1;
      if (asked > 1) return sendText(response, "And more.");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("One of these words has come, and "));
      held.resolve(response);
    },
    end: async () => (await held.promise).end(`${chunk("two.", "stop")}data: [DONE]\n\n`),
  };
}

/** Reads the events of a run, up to one that `enough` says is enough. */
async function watch(
  run: string,
  {
    after,
    enough = () => false,
    owner = "ada",
  }: { after?: number; enough?: (seen: Seen) => boolean; owner?: string } = {},
): Promise<readonly Seen[]> {
  const headers = { authorization: `Bearer ${owner}`, ...(after !== undefined && { "last-event-id": String(after) }) };
  const response = await fetch(`${talk.url}/v1/agent/runs/${run}/events`, { headers });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const seen: Seen[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      seen.push({ id: Number(id), event: JSON.parse(data) });
      // The connection is closed with the loop.
      if (enough(seen.at(-1) as Seen)) return seen;
    }
  }
  return seen;
}

async function ended(run: string): Promise<Reply["body"]> {
  await watch(run);
  return (await send(`${talk.url}/v1/agent/runs/${run}`, "GET")).body;
}

describe("a background run", () => {
  it("is answered with its id at once, and its answer is there when it has ended", async () => {
    const model = heldModel();
    talk = await startTalk(model.answer);
    const begun = await send(`${talk.url}/v1/agent`, "POST", background);
    expect([begun.status, begun.body]).toMatchObject([
      202,
      { object: "agent.run", status: "running", background: true },
    ]);
    const events = watch(begun.body.id);
    await model.end();
    const texts = (await events).flatMap(({ event }) => (event.type === "text-delta" ? [event.text] : []));
    expect(texts.join("")).toBe("One of these words has come, and two.");
    expect(await ended(begun.body.id)).toMatchObject({
      status: "ended",
      outcome: "answered",
      answer: { choices: [{ message: { content: "One of these words has come, and two." }, finish_reason: "stop" }] },
    });
  });

  it("keeps its session busy until it has ended, and its answer is one of the session's messages then", async () => {
    const model = heldModel();
    talk = await startTalk(model.answer);
    const begun = await send(`${talk.url}/v1/agent`, "POST", { ...background, session_id: "s1" });
    const busy = await turn(talk, "s1", "and?");
    expect([busy.status, busy.body.error.code]).toEqual([409, "session_busy"]);
    await model.end();
    await ended(begun.body.id);
    await send(`${talk.url}/v1/agent/sessions/s1`, "POST", { mode: "normal" });
    await turn(talk, "s1", "and?");
    expect(talk.said()).toMatchObject([
      { content: "go" },
      { content: "One of these words has come, and two." },
      { content: "and?" },
    ]);
  });

  it("is watched again from where its watcher lost it, with no gap and nothing twice", async () => {
    const model = heldModel();
    talk = await startTalk(model.answer);
    const { id } = (await send(`${talk.url}/v1/agent`, "POST", background)).body;
    const first = await watch(id, { enough: ({ event }) => event.type === "turn-start" });
    await model.end();
    const rest = await watch(id, { after: first.at(-1)?.id ?? 0 });
    const whole = await watch(id);
    expect([...first, ...rest]).toEqual(whole);
    expect(whole.map((seen) => seen.id)).toEqual(whole.map((_, at) => at + 1));
    expect(whole.at(-1)?.event).toMatchObject({ type: "run-end", outcome: "answered" });
    const headers = { authorization: "Bearer ada", "last-event-id": String(whole.length) };
    expect((await fetch(`${talk.url}/v1/agent/runs/${id}/events`, { headers })).status).toBe(204);
  });

  it("holds no gateway that stops: its watcher is let go at once, and has seen all that was stored", async () => {
    const model = heldModel();
    talk = await startTalk(model.answer);
    const { id } = (await send(`${talk.url}/v1/agent`, "POST", background)).body;
    const seen = await watch(id, {
      enough: ({ event }) => {
        if (event.type === "turn-start") talk.gateway.stop();
        return false;
      },
    });
    expect(seen.map((one) => one.id)).toEqual(seen.map((_, at) => at + 1));
    expect(seen.map(({ event }) => event.type)).not.toContain("run-end");
  });

  it("tells its watcher which events are no longer kept", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-gone-"));
    const file = join(folder, "postel.db");
    talk = await startTalk(
      (_request, response) => sendText(response, "Some words."),
      ({ store }) => ({ store: { ...store, file } }),
    );
    const { id } = (await send(`${talk.url}/v1/agent`, "POST", background)).body;
    await ended(id);
    const whole = await watch(id);
    const db = new DatabaseSync(file);
    db.exec("delete from run_events where seq <= 3");
    db.close();
    const seen = await watch(id);
    expect(seen).toEqual([{ id: 3, event: { type: "events-gone", from: 1, to: 3 } }, ...whole.slice(3)]);
    expect(await watch(id, { after: 3 })).toEqual(whole.slice(3));
    expect((await watch(id, { after: 2 }))[0]).toEqual({ id: 3, event: { type: "events-gone", from: 3, to: 3 } });
    rmSync(folder, { recursive: true });
  });

  it("ends where it is cancelled, and not twice", async () => {
    talk = await startTalk(heldModel().answer);
    const { id } = (await send(`${talk.url}/v1/agent`, "POST", background)).body;
    await watch(id, { enough: ({ event }) => event.type === "turn-start" });
    expect((await send(`${talk.url}/v1/agent/runs/${id}/cancel`, "POST")).status).toBe(200);
    expect(await ended(id)).toMatchObject({ status: "ended", outcome: "cancelled" });
    expect((await send(`${talk.url}/v1/agent/runs/${id}/cancel`, "POST")).body.error.code).toBe("run_over");
  });

  it.each([
    [{ stream: true }, "stream"],
    [{ no_store: true }, "no_store"],
  ])("is refused with %j", async (more, param) => {
    talk = await startTalk(heldModel().answer);
    const answer = await send(`${talk.url}/v1/agent`, "POST", { ...background, ...more });
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
  });
});

describe("a run", () => {
  it("is kept with what it was, and rated by its owner", async () => {
    talk = await startTalk((_request, response) => sendText(response, "Hello."));
    const { run_id: run } = (await turn(talk, "s1", "hi")).body.postel;
    const path = `${talk.url}/v1/agent/runs/${run}`;
    expect((await send(`${path}/feedback`, "POST", { rating: 1, comment: "good" })).body.feedback).toEqual({
      rating: 1,
      comment: "good",
    });
    expect((await send(`${path}/feedback`, "POST", { rating: 0 })).body.error.param).toBe("rating");
    expect((await send(path, "GET")).body).toMatchObject({
      session_id: "s1",
      outcome: "answered",
      feedback: { rating: 1 },
      interrupts: [],
      answer: { choices: [{ message: { content: "Hello." } }] },
    });
  });

  it("leaves nothing behind where `no_store` asks for that", async () => {
    talk = await startTalk((_request, response) => sendText(response, "Hello."));
    const { postel } = (
      await send(`${talk.url}/v1/agent`, "POST", { ...background, background: false, no_store: true })
    ).body;
    expect((await send(`${talk.url}/v1/agent/runs/${postel.run_id}`, "GET")).status).toBe(404);
    expect((await send(`${talk.url}/v1/agent/runs`, "GET")).body.data).toEqual([]);
    const kept = await turn(talk, "s1", "hi", { no_store: true });
    expect([kept.status, kept.body.error.param]).toEqual([400, "no_store"]);
  });

  it.each(["run_1' /*", "a/b", "%2e%2e%2f", "x".repeat(200)])("of the id %j is looked for nowhere", async (id) => {
    talk = await startTalk((_request, response) => sendText(response, "Hello."));
    const answer = await send(`${talk.url}/v1/agent/runs/${encodeURIComponent(id)}`, "GET");
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
  });
});
