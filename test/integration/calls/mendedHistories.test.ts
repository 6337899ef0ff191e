// Histories that clients broke, over real HTTP: what the upstream is sent, and what the answer says of it.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { delta, events, FakeUpstream, stream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const TOOL = { type: "function", function: { name: "tide", parameters: { type: "object" } } };

function calling(id: string, text: string): JsonObject {
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "tide", arguments: text } }],
  };
}

/** Cut at its head, with an id used twice, a result twice, one missing, and arguments that were cut. */
const BROKEN: readonly JsonObject[] = [
  { role: "tool", tool_call_id: "gone", content: "Low at noon." },
  { role: "user", content: "How is the tide at Hull?" },
  calling("call_0", '{"port":"Hull"}'),
  { role: "tool", tool_call_id: "call_0", content: "High at six." },
  { role: "tool", tool_call_id: "call_0", content: "High at seven." },
  calling("call_0", '{"port":"Goo'),
  { role: "tool", tool_call_id: "call_0", content: "Unknown port." },
  calling("call_1", '{"port":"Goole"}'),
  { role: "user", content: "And at Goole?" },
];
const REPAIRS = [
  "history-id-doubled",
  "history-arguments",
  "history-result-orphaned",
  "history-result-doubled",
  "history-result-missing",
];

let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(
    stream(events(delta({ role: "assistant", content: "Fine." }), delta({}, "stop"))),
  );
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function ask(body: JsonObject, headers: Record<string, string>, path: string) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", tools: [TOOL], ...body }),
  });
  const text = await response.text();
  const last = body.stream === true ? (/^data: (\{.*"postel".*)$/m.exec(text)?.[1] ?? "{}") : text;
  const sent = upstream.requests.at(-1)?.body.messages as readonly JsonObject[];
  return { status: response.status, sent, postel: (JSON.parse(last) as { postel: { repairs: string[] } }).postel };
}

interface WireCall extends JsonObject {
  readonly id: string;
  readonly function: { readonly arguments: string } & JsonObject;
}

describe.each(["/v1/chat/completions", "/v1/agent/chat/completions"])("a broken history on %s", (path) => {
  it.each([true, false])("goes up with each call's one result behind it (stream: %s)", async (streamed) => {
    const { status, sent, postel } = await ask({ messages: BROKEN, stream: streamed }, {}, path);
    expect(status).toBe(200);
    expect([...postel.repairs].sort()).toEqual([...REPAIRS].sort());
    const due: string[] = [];
    const seen = new Set<string>();
    for (const message of sent) {
      if (message.role === "tool") {
        expect(message.tool_call_id).toBe(due.shift());
        continue;
      }
      expect(due).toEqual([]);
      for (const one of (message.tool_calls ?? []) as readonly WireCall[]) {
        expect(seen.has(one.id)).toBe(false);
        seen.add(one.id);
        due.push(one.id);
        expect(typeof JSON.parse(one.function.arguments)).toBe("object");
      }
    }
    expect(seen.size).toBe(3);
    const words = JSON.stringify(sent);
    for (const said of [
      "Low at noon.",
      "High at six.",
      "High at seven.",
      "Unknown port.",
      '{\\\\\\"port\\\\\\":\\\\\\"Goo',
    ]) {
      expect(words).toContain(said);
    }
  });

  it("goes up as text in text mode, and says the same of it", async () => {
    const { sent, postel } = await ask({ messages: BROKEN }, { "x-postel-tool-mode": "text" }, path);
    expect([...postel.repairs].sort()).toEqual([...REPAIRS].sort());
    expect(sent.filter(({ role, tool_calls: calls }) => role === "tool" || calls !== undefined)).toEqual([]);
    expect(JSON.stringify(sent)).toContain("No result of this call is known.");
  });
});

describe("a history that is right", () => {
  it("goes up as it came, and nothing is said of it", async () => {
    const messages: readonly JsonObject[] = [
      { role: "user", content: "How is the tide at Hull?" },
      calling("call_0", '{ "port":"Hull" }'),
      { role: "tool", tool_call_id: "call_0", content: "High at six." },
    ];
    const { sent, postel } = await ask({ messages }, {}, "/v1/chat/completions");
    expect(sent).toEqual(messages);
    expect(postel.repairs).toEqual([]);
  });
});
