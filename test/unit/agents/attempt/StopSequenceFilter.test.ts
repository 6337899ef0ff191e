import { describe, expect, it } from "@jest/globals";
import type { AttemptEvent } from "../../../../src/agents/Agent.ts";
import { StopSequenceFilter } from "../../../../src/agents/attempt/StopSequenceFilter.ts";

function said(...pieces: readonly string[]): readonly AttemptEvent[] {
  const texts = pieces.map((text): AttemptEvent => ({ type: "text", text }));
  return [{ type: "opened", retries: 0 }, ...texts, { type: "end", finishReason: "length" }];
}

/** One by one. */
function cut(events: readonly AttemptEvent[], stops: readonly string[]): readonly AttemptEvent[] {
  const stopCut = new StopSequenceFilter(stops);
  return events.flatMap((event) => stopCut.push([event]));
}

function textOf(events: readonly AttemptEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

function call(origin: string): AttemptEvent {
  return { type: "call", call: { id: "c", name: "f", arguments: "{}", origin, repairs: [], raw: "" } };
}

describe("an answer that is to end before a text", () => {
  it.each([
    ["one piece", ["a END b"]],
    ["single characters", [..."a END b"]],
    ["a stop text over three pieces", ["a E", "N", "D b"]],
    ["another stop text further on", ["a END STOP b"]],
  ])("ends before the first stop text: %s", (_, pieces) => {
    for (const all of [
      cut(said(...pieces), ["STOP", "END"]),
      new StopSequenceFilter(["STOP", "END"]).push(said(...pieces)),
    ]) {
      expect(textOf(all)).toBe("a ");
      expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
    }
  });

  it.each([
    ["what only began like one", ["a EN", "d b E"]],
    ["an empty stop text", ["a b"]],
  ])("keeps %s, and its own end", (_, pieces) => {
    const all = cut(said(...pieces), ["END", ""]);
    expect(textOf(all)).toBe(pieces.join(""));
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "length" });
  });

  it("has no stop text that began before a call", () => {
    const [begin, end] = [said("a E")[1], said("ND b")[1]] as const;
    const all = cut(
      [begin, call("hermes-json"), end].flatMap((event) => event ?? []),
      ["END"],
    );
    expect(all.map((event) => (event.type === "text" ? event.text : event.type))).toEqual(["a ", "E", "call", "ND b"]);
  });

  it("has the calls that came beside its text, and none that were written behind the stop text", () => {
    const stop: AttemptEvent = { type: "text", text: "a END" };
    const all = cut([stop, call("hermes-json"), { type: "reasoning", text: "Hm." }, call("native")], ["END"]);
    expect(all.slice(1)).toEqual([call("native")]);
  });

  it("has the fields that came beside its text, without the log-probabilities of what is cut", () => {
    const extra = [
      { level: "choice", fields: { logprobs: { content: [] } } },
      { level: "delta", fields: { annotations: [1] } },
    ] as const;
    const all = cut([{ type: "text", text: "a END", extra }], ["END"]);
    expect(all).toEqual([
      { type: "text", text: "a " },
      { type: "text", text: "", extra: [extra[1]] },
    ]);
  });
});
