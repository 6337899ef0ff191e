// Fields of the wire that Postel does not model, from the upstream to the client and back: streamed and not, over real HTTP.
import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  gateway = undefined;
  upstream = undefined;
});

const SIGNED = { extra_content: { vendor: { thought_signature: "c2ln" } } };
const CALL = { id: "call_1", type: "function", function: { name: "tide", arguments: '{"port":"Hull"}' } };
const DETAILS = [{ type: "reasoning.text", index: 0, text: "The port is named.", signature: "r1" }];
const TOOL = {
  type: "function",
  cache_control: { type: "ephemeral" },
  function: { name: "tide", parameters: { type: "object", properties: { port: { type: "string" } } } },
};
const ASK = { model: "m", messages: [{ role: "user", content: "How is the tide at Hull?" }], tools: [TOOL] };

const CALLING: readonly JsonObject[] = [
  delta({ role: "assistant", reasoning_details: [{ type: "reasoning.text", index: 0, text: "The port " }] }),
  delta({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "is named.", signature: "r1" }] }),
  delta({ tool_calls: [{ index: 0, ...CALL, ...SIGNED }] }),
  delta({}, "tool_calls"),
];

async function start(answer: Parameters<typeof FakeUpstream.start>[0]): Promise<void> {
  upstream = await FakeUpstream.start(answer);
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
}

async function ask(body: object, headers: Record<string, string> = {}, path = "/v1/chat/completions") {
  return fetch(`${gateway?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** The deltas of a streamed answer. */
async function deltasOf(response: Response): Promise<readonly JsonObject[]> {
  const chunks = (await response.text()).match(/(?<=^data: )\{.*$/gm) ?? [];
  return chunks.map((chunk) => (JSON.parse(chunk) as { choices: [{ delta: JsonObject }] }).choices[0].delta);
}

describe("fields that Postel does not model", () => {
  it("of an upstream's stream reach a client that takes the whole answer, on the call and on the message", async () => {
    await start(stream(events(...CALLING)));
    const answer = (await (await ask(ASK)).json()) as {
      choices: [{ message: JsonObject }];
    };
    expect(answer.choices[0].message).toMatchObject({
      content: null,
      reasoning_details: DETAILS,
      tool_calls: [{ ...CALL, ...SIGNED }],
    });
  });

  it("of an upstream's stream reach a client that streams, once and on the right deltas", async () => {
    await start(stream(events(...CALLING)));
    const deltas = await deltasOf(await ask({ ...ASK, stream: true }));
    const fragments = deltas.flatMap((one) => (one.tool_calls as readonly JsonObject[] | undefined) ?? []);
    expect(fragments[0]).toEqual({ index: 0, ...CALL, ...SIGNED, function: { name: "tide", arguments: "" } });
    expect(fragments.slice(1)).toEqual([{ index: 0, function: { arguments: CALL.function.arguments } }]);
    const told = deltas.flatMap((one) => (one.reasoning_details as readonly JsonObject[] | undefined) ?? []);
    expect(told.map(({ text }) => text).join("")).toBe("The port is named.");
    expect(deltas.filter((one) => one.content)).toEqual([]);
  });

  it("of an upstream that still thinks reach a client that streams while it does", async () => {
    let goOn = (): void => {};
    await start((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events(CALLING[0] ?? {}).replace("data: [DONE]\n\n", ""));
      goOn = () => response.end(events(...CALLING.slice(1)));
    });
    let told = "";
    for await (const bytes of (await ask({ ...ASK, stream: true })).body ?? []) {
      told += Buffer.from(bytes).toString();
      if (told.includes('"reasoning_details"')) goOn();
    }
    expect(told).toContain("[DONE]");
  });

  it("of an upstream that answers with one JSON document reach the client as they came", async () => {
    const message = {
      role: "assistant",
      content: "High.",
      annotations: [{ type: "url_citation", url_citation: { url: "https://tides.test" } }],
    };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    await start(whole(200, "application/json", JSON.stringify({ choices })));
    const answer = (await (await ask({ ...ASK, tools: [] })).json()) as {
      choices: [{ message: JsonObject }];
    };
    expect(answer.choices[0].message).toMatchObject(message);
  });

  it("of the client's history and tools go back up as the client wrote them, without nulls and positions", async () => {
    await start(stream(events(delta({ content: "High." }, "stop"))));
    const history = [
      ...ASK.messages,
      {
        role: "assistant",
        content: null,
        refusal: null,
        reasoning_content: "The port is named.",
        reasoning_details: DETAILS,
        tool_calls: [{ index: 0, ...CALL, ...SIGNED }],
      },
      { role: "tool", tool_call_id: "call_1", content: "High.", cache_control: { type: "ephemeral" } },
    ];
    expect((await ask({ ...ASK, messages: history })).status).toBe(200);
    expect(upstream?.requests[0]?.body.messages).toEqual([
      ...ASK.messages,
      {
        role: "assistant",
        content: null,
        reasoning_content: "The port is named.",
        reasoning_details: DETAILS,
        tool_calls: [{ ...CALL, ...SIGNED }],
      },
      { role: "tool", tool_call_id: "call_1", content: "High.", cache_control: { type: "ephemeral" } },
    ]);
    expect(upstream?.requests[0]?.body.tools).toEqual([TOOL]);
  });

  it("are left out where the model is asked in text: only what text can carry goes up", async () => {
    await start(stream(events(delta({ content: "High." }, "stop"))));
    const history = [
      { ...ASK.messages[0], cache_control: { type: "ephemeral" } },
      {
        role: "assistant",
        content: null,
        reasoning_content: "thought",
        reasoning_details: DETAILS,
        tool_calls: [{ ...CALL, ...SIGNED }],
      },
      { role: "tool", tool_call_id: "call_1", content: "High.", cache_control: { type: "ephemeral" } },
    ];
    expect((await ask({ ...ASK, messages: history }, { "x-postel-tool-mode": "text" })).status).toBe(200);
    const sent = JSON.stringify(upstream?.requests[0]?.body);
    expect(sent).not.toMatch(/cache_control|reasoning_details|thought|extra_content/);
  });

  it("stay with a call and its message that the model is asked to write again", async () => {
    const wrong = { ...CALL, function: { name: "tide", arguments: '{"port": {"no": "string"}}' } };
    let asked = 0;
    await start((received, response) => {
      asked += 1;
      const call = asked === 1 ? wrong : CALL;
      const said = delta({ reasoning: `Thought ${asked}.`, reasoning_details: [{ id: asked }] });
      const calling = delta({ tool_calls: [{ index: 0, ...call, ...SIGNED }] }, "tool_calls");
      return stream(events(said, calling))(received, response);
    });
    expect((await ask(ASK)).status).toBe(200);
    const messages = upstream?.requests[1]?.body.messages as readonly JsonObject[];
    expect(messages[1]).toMatchObject({
      reasoning: "Thought 1.",
      reasoning_details: [{ id: 1 }],
      tool_calls: [{ id: "call_1", ...SIGNED }],
    });
  });
});

/** Refuses a history whose calls lack what it said beside them. */
function demanding(streamed: boolean): Parameters<typeof FakeUpstream.start>[0] {
  return (received, response) => {
    const messages = received.body.messages as readonly JsonObject[];
    const calls = messages.flatMap((message) => (message.tool_calls as readonly JsonObject[] | undefined) ?? []);
    const message = "Function call is missing a thought_signature in functionCall parts.";
    const refusal = JSON.stringify([{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }]);
    if (calls.some((call) => !call.extra_content)) return whole(400, "application/json", refusal)(received, response);
    if (calls.length > 0) return stream(events(delta({ content: "It is high." }, "stop")))(received, response);
    if (streamed) return stream(events(...CALLING))(received, response);
    const said = { role: "assistant", content: null, reasoning_details: DETAILS, tool_calls: [{ ...CALL, ...SIGNED }] };
    const choices = [{ index: 0, message: said, finish_reason: "tool_calls" }];
    return whole(200, "application/json", JSON.stringify({ choices }))(received, response);
  };
}

const TIDE = { name: "tide", parameters: { type: "object", properties: { port: { type: "string" } } } } as const;
const QUESTION = { role: "user", content: "How is the tide at Hull?" } as const;

/** One loop of the official client, which keeps of a call what it knows. */
async function loopOf(client: OpenAI, streamed: boolean): Promise<string | null> {
  const tools = [{ type: "function", function: TIDE }] as const;
  const request = { model: "m", tools: [...tools], messages: [QUESTION] };
  const first = streamed
    ? await client.chat.completions.stream(request).finalChatCompletion()
    : await client.chat.completions.create(request);
  const call = first.choices[0]?.message.tool_calls?.[0];
  if (call?.type !== "function") throw new Error("no call came");
  const { id, function: called } = call;
  const kept = { id, type: "function", function: { name: called.name, arguments: called.arguments } } as const;
  const second = await client.chat.completions.create({
    ...request,
    messages: [
      QUESTION,
      { role: "assistant", content: null, tool_calls: [kept] },
      { role: "tool", tool_call_id: id, content: "high" },
    ],
  });
  return second.choices[0]?.message.content ?? null;
}

describe("what a client dropped of a call", () => {
  it.each([true, false])("is put back before the upstream asks for it (stream: %s)", async (streamed) => {
    await start(demanding(streamed));
    const client = gateway?.client();
    if (!client) throw new Error("no gateway");
    expect(await loopOf(client, streamed)).toBe("It is high.");
    const messages = upstream?.requests[1]?.body.messages as readonly JsonObject[];
    expect(messages[1]).toMatchObject({ reasoning_details: DETAILS, tool_calls: [{ ...CALL, ...SIGNED }] });
  });

  it.each(["/v1/agent"])("goes back up within a run too, where no client is asked (%s)", async (path) => {
    const call = { id: "c9", type: "function", function: { name: "calculator", arguments: '{"expression":"6*7"}' } };
    await start((received, response) => {
      const messages = received.body.messages as readonly JsonObject[];
      const said = messages.find((message) => message.tool_calls);
      const fields = said
        ? delta({ content: "42" }, "stop")
        : delta({ reasoning: "hm", vendor_state: "s", annotations: [1], tool_calls: [{ ...call, ...SIGNED }] }, "stop");
      return stream(events(fields))(received, response);
    });
    expect((await ask({ model: "m", messages: [QUESTION] }, {}, path)).status).toBe(200);
    const messages = upstream?.requests[1]?.body.messages as readonly JsonObject[];
    expect(messages.find((message) => message.tool_calls)).toEqual({
      role: "assistant",
      content: null,
      reasoning: "hm",
      vendor_state: "s",
      tool_calls: [{ ...call, ...SIGNED }],
    });
  });

  it("comes back in the field in which the upstream thinks, though clients are told of another", async () => {
    await start((received, response) => {
      const messages = received.body.messages as readonly JsonObject[];
      const calling = delta({ reasoning: "A port.", tool_calls: [{ index: 0, ...CALL }] }, "tool_calls");
      return stream(events(messages.length === 1 ? calling : delta({ content: "High." }, "stop")))(received, response);
    });
    const client = gateway?.client();
    if (!client) throw new Error("no gateway");
    await loopOf(client, false);
    const messages = upstream?.requests[1]?.body.messages as readonly JsonObject[];
    expect(messages[1]).toMatchObject({ role: "assistant", reasoning: "A port." });
    expect(messages[1]).not.toHaveProperty("reasoning_content");
  });

  it("never reaches the request of another caller, who sends the same call with a key of its own", async () => {
    upstream = await FakeUpstream.start(demanding(true));
    const config = configFor(upstream.baseUrl);
    const apiKeys = ["alice", "bob"].map((key) => ({
      name: key,
      can: ["ask"] as const,
      digest: createHash("sha256").update(key).digest("hex"),
    }));
    gateway = await startGateway({ config: { ...config, server: { ...config.server, apiKeys } } });
    const told = await ask(ASK, { authorization: "Bearer alice" });
    expect(told.status).toBe(200);
    const history = [
      ...ASK.messages,
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1", content: "high" },
    ];
    expect((await ask({ ...ASK, messages: history }, { authorization: "Bearer bob" })).status).toBe(400);
    expect(JSON.stringify(upstream.requests[1]?.body)).not.toContain("c2ln");
    expect((await ask({ ...ASK, messages: history }, { authorization: "Bearer alice" })).status).toBe(200);
  });
});
