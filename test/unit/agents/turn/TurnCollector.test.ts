// What a run keeps of a turn for the next one.
import { describe, expect, it } from "@jest/globals";
import { TurnCollector } from "../../../../src/agents/turn/TurnCollector.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";

function beside(fields: JsonObject) {
  return { type: "text-delta", text: "", extra: [{ level: "delta", fields }] } as const;
}

describe("TurnHearing", () => {
  it("keeps what was said beside the accepted attempt, not beside one that was made again", () => {
    const turnCollector = new TurnCollector({ gateway: new Set(), keepsText: true });
    turnCollector.add(beside({ reasoning_details: [{ text: "first" }] }));
    turnCollector.add({ type: "attempt", n: 2, reason: "invalid-arguments" });
    turnCollector.add(beside({ reasoning_details: [{ text: "second" }], annotations: [1], refusal: "no" }));
    expect(turnCollector.message().extra).toEqual({ reasoning_details: [{ text: "second" }] });
  });

  it("keeps no word of a long answer that has left and that no turn follows", () => {
    const turnCollector = new TurnCollector({ gateway: new Set(), keepsText: false });
    const extra = [{ level: "choice", fields: { logprobs: { content: ["a long list"] } } }] as const;
    for (let i = 0; i < 1_000; i += 1) turnCollector.add({ type: "text-delta", text: "x".repeat(1_000), extra });
    expect(turnCollector.message()).toEqual({ role: "assistant", content: null });
    expect({ text: turnCollector.text, extra: turnCollector.extra, spoke: turnCollector.spoke }).toEqual({
      text: "",
      extra: [],
      spoke: true,
    });
    expect(turnCollector.tokens).toBe(250_000);
  });

  it("keeps the thoughts beside a client's call whole, or not at all", () => {
    const think = (chars: number) => {
      const turnCollector = new TurnCollector({ gateway: new Set(), keepsText: false });
      for (let left = chars; left > 0; left -= 65_536) {
        turnCollector.add({ type: "reasoning-delta", text: "x".repeat(Math.min(left, 65_536)) });
      }
      return turnCollector.message().reasoning?.length;
    };
    expect([think(500_000), think(1_048_576), think(1_048_577), think(5_000_000)]).toEqual([
      500_000,
      1_048_576,
      undefined,
      undefined,
    ]);
  });

  it("keeps no fields where nothing was said that a model could need back", () => {
    const turnCollector = new TurnCollector({ gateway: new Set(), keepsText: true });
    turnCollector.add(beside({ annotations: [1] }));
    expect(turnCollector.message()).toEqual({ role: "assistant", content: null });
  });
});
