// The one fold of events: what it keeps is what its holder asked for; what it counts is the same for all.
import { describe, expect, it } from "@jest/globals";
import { Collector, type CollectorOptions, SUMMARY_ONLY } from "../../../../src/core/events/Collector.ts";
import type { AnswerEvent, RunEvent, TurnEnd } from "../../../../src/core/events/events.ts";
import type { JsonObject, ToolCall } from "../../../../src/core/messages.ts";

function collected(events: readonly (AnswerEvent | RunEvent)[], keeping?: CollectorOptions): Collector {
  const collector = new Collector(keeping);
  for (const event of events) collector.add(event);
  return collector;
}

function call(origin: string, repairs: readonly string[] = []): ToolCall {
  return { id: "c", name: "find", arguments: '{"q":1}', origin, repairs, raw: "" };
}

function beside(fields: JsonObject): AnswerEvent {
  return { type: "text", text: "", extra: [{ level: "delta", fields }] };
}

function turnEnd(tokens: number): TurnEnd {
  const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens };
  return {
    type: "turn-end",
    finishReason: "stop",
    upstreamFinishReason: "stop",
    usage,
    usagePartial: false,
    attempts: 1,
    retries: 0,
  };
}

describe("Collector: what was said", () => {
  const issue = { code: "stray-mark", message: "A mark." } as const;

  it("is the same in the words of an attempt and in those of a run", () => {
    const ofAttempt = collected([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Yes." },
      { type: "call", call: call("react-text") },
      { type: "issue", issue },
    ]);
    const ofRun = collected([
      { type: "reasoning-delta", text: "hm" },
      { type: "text-delta", text: "Yes." },
      { type: "tool-call", call: call("react-text") },
      { type: "format-issue", issue },
    ]);
    expect(ofAttempt.getCollected()).toEqual(ofRun.getCollected());
    expect(ofRun.getCollected()).toMatchObject({
      text: "Yes.",
      reasoning: "hm",
      called: true,
      formats: ["react-text"],
    });
    expect([ofRun.hasVisibleText, ofRun.chars]).toEqual([true, 13]);
  });

  it("has the families and repairs of the calls that the gateway ran, which are no calls for its reader", () => {
    const { formats, repairs, called, calls } = collected([
      {
        type: "turn-start",
        model: "test-model",
        toolMode: "native",
        row: "default",
        historyRepairs: ["dropped-result"],
      },
      { type: "tool-start", call: call("hermes-json", ["type"]) },
      { type: "tool-start", call: call("native", ["type"]) },
    ]).getCollected();
    expect({ formats, repairs, called, calls }).toEqual({
      formats: ["hermes-json"],
      repairs: ["dropped-result", "type"],
      called: false,
      calls: [],
    });
  });

  it("has the family and repairs of a call that waits for a person, though nobody has run it yet", () => {
    const waiting = call("leaked-json", ["quotes"]);
    const asked = { id: "i", run: "r", type: "approval", question: "Pay?", createdAt: 1, expiresAt: 2 };
    const { formats, repairs } = collected([
      { type: "interrupt", interrupt: { ...asked, call: waiting } },
    ]).getSummary();
    expect({ formats, repairs }).toEqual({ formats: ["leaked-json"], repairs: ["quotes"] });
  });

  it("of several turns has one end, with the tokens of all", () => {
    const { end } = collected([turnEnd(3), turnEnd(4)]).getSummary();
    expect([end?.usage?.totalTokens, end?.attempts]).toEqual([7, 2]);
  });

  it("is no word where it is white space alone, and shown where it is a picture, until the attempt is made again", () => {
    const collector = collected([{ type: "text", text: " \n" }, beside({ images: ["data:…"] })]);
    expect([collector.hasVisibleText, collector.hasVisibleExtra]).toEqual([false, true]);
    collector.discardExtra();
    expect([collector.hasVisibleExtra, collector.extra]).toEqual([false, []]);
  });

  it("declines where a refusal came that says something, until the attempt is made again", () => {
    const declines = (...fields: readonly JsonObject[]) => collected(fields.map(beside)).hasRefusal;
    expect(declines({ refusal: "" }, { refusal: null }, { images: ["data:…"] })).toBe(false);
    expect(declines({ refusal: "" }, { refusal: "I will not." })).toBe(true);
    const collector = collected([beside({ refusal: "I will not." })]);
    collector.discardExtra();
    expect(collector.hasRefusal).toBe(false);
  });
});

describe("Collector: what of it is kept", () => {
  const words: readonly AnswerEvent[] = [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "Yes.", extra: [{ level: "choice", fields: { logprobs: {} } }] },
    beside({ signature: "s" }),
    { type: "call", call: call("native") },
  ];

  it("is no word where its holder has passed them on, and they are counted all the same", () => {
    const collector = collected(words, SUMMARY_ONLY);
    expect(collector.getCollected()).toMatchObject({ text: "", reasoning: "", calls: [], extra: [], called: true });
    expect([collector.hasVisibleText, collector.chars]).toEqual([true, 13]);
  });

  it("is what came beside the text without the text, where that is what its holder needs", () => {
    const collector = collected(words, { text: false, maxExtraChars: 1_000, calls: true });
    expect(collector.getCollected()).toMatchObject({
      text: "",
      reasoning: "hm",
      calls: [{ name: "find" }],
      extra: [{ level: "delta", fields: { signature: "s" } }],
    });
  });

  it.each<[string, readonly AnswerEvent[]]>([
    ["reasoning", [{ type: "reasoning", text: "x".repeat(101) }]],
    ["fields", [beside({ signature: "x".repeat(101) })]],
    ["both together", [{ type: "reasoning", text: "x".repeat(60) }, beside({ signature: "x".repeat(60) })]],
  ])("is nothing of what came beside the text where that is too long: %s", (_name, events) => {
    const collector = collected([...events, { type: "reasoning", text: "more" }], {
      text: false,
      maxExtraChars: 100,
      calls: true,
    });
    expect([collector.reasoning, collector.extra]).toEqual(["", []]);
  });
});
