import { describe, expect, it } from "@jest/globals";
import type { RecordedExchange } from "../../../../src/transcripts/format/Transcript.ts";
import { ReplayClock } from "../../../../src/transcripts/replay/ReplayClock.ts";
import { ReplayEgress } from "../../../../src/transcripts/replay/ReplayEgress.ts";
import { CHAT_URL, chat, HEADER, never, readAll, recorded } from "../../../support/transcripts/exchanges.ts";

const tools = [{ type: "function", function: { name: "lookup_tide", parameters: {} } }];
const body = (callId: string, content = "When is low tide?") => ({
  model: "tide-model",
  temperature: 0,
  tools,
  messages: [
    { role: "user", content },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: callId, type: "function", function: { name: "lookup_tide", arguments: '{"port":"Brest"}' } }],
    },
    { role: "tool", tool_call_id: callId, content: "14:05" },
  ],
});

function replay(...exchanges: RecordedExchange[]): ReplayEgress {
  return new ReplayEgress({ header: HEADER, exchanges });
}

async function mismatchOf(egress: ReplayEgress, request = chat(body("call_1"))): Promise<string> {
  const error = await egress.send(request, never).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ failure: { code: "replay_mismatch" } });
  return String(error);
}

describe("ReplayEgress", () => {
  it("answers requests in their recorded order and tells what was left over", async () => {
    const egress = replay(recorded(0), recorded(1), recorded(2));
    expect(await readAll((await egress.send(chat({}), never)).body)).toBe("answer 0");
    expect(await readAll((await egress.send(chat({}), never)).body)).toBe("answer 1");
    expect(egress.leftovers()).toEqual(["exchange 2: POST /v1/chat/completions"]);
  });

  it("refuses a request more than was recorded", async () => {
    expect(await mismatchOf(replay())).toMatch(/0 exchanges, but one more is sent: POST \/v1\/chat\/completions/);
  });

  it("matches when only the drawn call ids, the sampling or the form of the text differ", async () => {
    const egress = replay(recorded(0, { body: body("call_recorded") }));
    const now = { ...body("call_now"), temperature: 0.7 };
    const parts = [
      { type: "text", text: "When is " },
      { type: "text", text: "low tide?" },
    ];
    const messages = [{ role: "user", content: parts }, ...now.messages.slice(1)];
    expect((await egress.send(chat({ ...now, messages }), never)).status).toBe(200);
  });

  it("refuses a changed message and shows where it changed", async () => {
    const egress = replay(recorded(0, { body: body("call_1") }));
    const message = await mismatchOf(egress, chat(body("call_1", "When is high tide?")));
    expect(message).toContain('body.messages[0].content: recorded "When is low tide?", sent "When is high tide?"');
    expect(egress.leftovers()).toHaveLength(1);
  });

  it.each([
    ["another model", { ...body("c"), model: "other" }, /body\.model/],
    ["another tool", { ...body("c"), tools: [{ type: "function", function: { name: "x" } }] }, /body\.tools\[0\]/],
    ["a message less", { ...body("c"), messages: body("c").messages.slice(1) }, /body\.messages\.length/],
    [
      "a result for another call",
      {
        ...body("c"),
        messages: [...body("c").messages.slice(0, 2), { role: "tool", tool_call_id: "d", content: "14:05" }],
      },
      /tool_call_id/,
    ],
  ])("refuses %s", async (_, changed, message) => {
    expect(await mismatchOf(replay(recorded(0, { body: body("c") })), chat(changed))).toMatch(message);
  });

  describe("where the recording says what the caller wrote", () => {
    const asked = "When is low tide?";
    const caller = { path: "/v1/agent", body: { messages: [{ role: "user", content: asked }] } } as const;
    const told = (system: string, question: string, answer = "Low at 14:05.") => ({
      model: "tide-model",
      messages: [
        { role: "system", content: system },
        { role: "user", content: question },
        { role: "assistant", content: answer },
        { role: "user", content: "That was no call." },
      ],
    });
    const egress = () =>
      new ReplayEgress({
        header: { ...HEADER, request: caller },
        exchanges: [recorded(0, { body: told("You may use tools.", asked) })],
      });

    it("matches when only the gateway's own words have changed", async () => {
      const reworded = told("These are your tools.", `Remember the form.\n\n${asked}`);
      expect((await egress().send(chat(reworded), never)).status).toBe(200);
    });

    it.each([
      ["a question that was lost", told("You may use tools.", "Hm?"), /body\.messages\[1\]\.content/],
      ["a question in another place", told(asked, "Go on."), /body\.messages\[0\]\.content/],
      ["another answer of the model", told("You may use tools.", asked, "High."), /body\.messages\[2\]\.content/],
    ])("refuses %s", async (_, changed, message) => {
      expect(await mismatchOf(egress(), chat(changed))).toMatch(message);
    });
  });

  it("refuses another method or path, whatever the body", async () => {
    const egress = replay(recorded(0));
    expect(await mismatchOf(egress, { ...chat({}), method: "GET" })).toMatch(/method: recorded "POST", sent "GET"/);
    expect(await mismatchOf(egress, { ...chat({}), url: `${CHAT_URL}x` })).toMatch(/path/);
  });

  it("compares a tool's body whole and its query without the secrets", async () => {
    const url = "https://tides.test/lookup?port=Brest&api_key=";
    const egress = replay(recorded(0, { url: `${url}redacted`, body: { deep: [1, "1"] } }));
    expect(await mismatchOf(egress, { ...chat({ deep: [1, 1] }), url: `${url}s3cret` })).toMatch(/body\.deep\[1\]/);
    expect((await egress.send({ ...chat({ deep: [1, "1"] }), url: `${url}s3cret` }, never)).status).toBe(200);
  });

  it("breaks where the recorded connection broke", async () => {
    const failure = { code: "upstream_timeout", message: "no headers" } as const;
    const egress = replay(
      recorded(0, { end: { ms: 9, how: "broken" } }),
      recorded(1, { chunks: [], end: { ms: 9, how: "broken" } }),
      { ...recorded(2, { chunks: [], end: { ms: 9, how: "broken", failure } }), response: undefined },
    );
    const first = await egress.send(chat({}), never);
    await expect(readAll(first.body)).rejects.toMatchObject({ failure: { code: "upstream_truncated" } });
    await expect(egress.send(chat({}), never)).rejects.toMatchObject({ failure: { code: "upstream_unavailable" } });
    await expect(egress.send(chat({}), never)).rejects.toMatchObject({ failure });
  });

  it("lets a reader leave where the recorded one left, and refuses to be read on", async () => {
    const egress = replay(
      recorded(0, { end: { ms: 9, how: "aborted" } }),
      recorded(1, { end: { ms: 9, how: "aborted" } }),
      recorded(2, { chunks: [], end: { ms: 9, how: "aborted" } }),
    );
    for await (const _ of (await egress.send(chat({}), never)).body) break;
    const second = await egress.send(chat({}), never);
    await expect(readAll(second.body)).rejects.toMatchObject({ failure: { code: "replay_mismatch" } });
    expect((await egress.send(chat({}), never)).status).toBe(200);
  });

  it("ends with the caller's signal", async () => {
    const abort = new AbortController();
    const response = await replay(recorded(0)).send(chat({}), abort.signal);
    abort.abort();
    await expect(readAll(response.body)).rejects.toMatchObject({ failure: { code: "cancelled" } });
  });
});

describe("ReplayClock", () => {
  it("stands where the last of the played exchanges ended, and moves on from there by what is slept", async () => {
    const clock = new ReplayClock(HEADER.recorded_at);
    const slow = recorded(0, { end: { ms: 61_000, how: "complete" } });
    const beside = recorded(1, { end: { ms: 900, how: "complete" } });
    const egress = new ReplayEgress({ header: HEADER, exchanges: [slow, beside] }, { clock });
    await egress.send(chat({}), never);
    await egress.send(chat({}), never);
    expect(new Date(clock.now()).toISOString()).toBe("2026-11-14T09:31:01.000Z");
    await clock.sleep(1_000, never);
    expect(new Date(clock.now()).toISOString()).toBe("2026-11-14T09:31:02.000Z");
  });

  it("starts when the recording was made and moves by what is slept, at once", async () => {
    const clock = new ReplayClock(HEADER.recorded_at);
    await clock.sleep(86_400_000, never);
    expect(new Date(clock.now()).toISOString()).toBe("2026-11-15T09:30:00.000Z");
    expect(clock.monotonic()).toBe(86_400_000);
  });
});

describe("ReplayEgress of messages that are contents in parts", () => {
  const contents = (callId: string, { ask = "When is low tide?", answered = callId, words = "Be brief." } = {}) => ({
    systemInstruction: { parts: [{ text: words }] },
    contents: [
      { role: "user", parts: [{ text: ask }] },
      { role: "model", parts: [{ functionCall: { id: callId, name: "lookup_tide", args: { port: "Brest" } } }] },
      { role: "user", parts: [{ functionResponse: { id: answered, name: "lookup_tide", response: { at: "14:05" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "lookup_tide" }] }],
    generationConfig: { temperature: 0 },
  });

  it("matches when only the drawn call ids, the sampling or what is said of a tool differ", async () => {
    const egress = replay(recorded(0, { body: contents("call_recorded") }));
    const functionDeclarations = [{ name: "lookup_tide", description: "Says the tide." }];
    const now = { ...contents("call_now"), generationConfig: { temperature: 0.7 }, tools: [{ functionDeclarations }] };
    expect((await egress.send(chat(now), never)).status).toBe(200);
  });

  it.each([
    ["what was asked", contents("a", { ask: "When is high tide?" }), /contents\[0\]\.text/],
    ["whose result it is", contents("a", { answered: "b" }), /functionResponse\.id/],
    ["the instruction", contents("a", { words: "Be kind." }), /body\.system/],
    ["the tools", { ...contents("a"), tools: [] }, /body\.tools/],
  ])("refuses a change of %s", async (_, now, difference) => {
    const egress = replay(recorded(0, { body: contents("call_recorded") }));
    expect(await mismatchOf(egress, chat(now))).toMatch(difference);
  });

  it("counts of an instruction only what the caller wrote, where that is known", async () => {
    const request = {
      path: "/v1/chat/completions" as const,
      body: { messages: [{ role: "user", content: "Be brief." }] },
    };
    const header = { ...HEADER, request };
    const of = (words: string) =>
      new ReplayEgress({ header, exchanges: [recorded(0, { body: contents("a", { words }) })] });
    expect((await of("Today's words. Be brief.").send(chat(contents("b")), never)).status).toBe(200);
    expect(await mismatchOf(of("Today's words."), chat(contents("b")))).toMatch(/body\.system/);
  });
});
