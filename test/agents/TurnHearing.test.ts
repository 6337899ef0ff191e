// What a run keeps of a turn for the next one.
import { describe, expect, it } from "@jest/globals";
import { TurnHearing } from "../../src/agents/TurnHearing.ts";
import type { JsonObject } from "../../src/core/messages.ts";

function beside(fields: JsonObject) {
  return { type: "text-delta", text: "", extra: [{ level: "delta", fields }] } as const;
}

describe("TurnHearing", () => {
  it("keeps what was said beside the accepted attempt, not beside one that was made again", () => {
    const hearing = new TurnHearing(new Set());
    hearing.add(beside({ reasoning_details: [{ text: "first" }] }));
    hearing.add({ type: "attempt", n: 2, reason: "invalid-arguments" });
    hearing.add(beside({ reasoning_details: [{ text: "second" }], annotations: [1], refusal: "no" }));
    expect(hearing.message().extra).toEqual({ reasoning_details: [{ text: "second" }] });
  });

  it("keeps no fields where nothing was said that a model could need back", () => {
    const hearing = new TurnHearing(new Set());
    hearing.add(beside({ annotations: [1] }));
    expect(hearing.message()).toEqual({ role: "assistant", content: null });
  });
});
