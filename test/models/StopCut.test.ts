import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../src/core/events.ts";
import { StopCut } from "../../src/models/StopCut.ts";
import { pulled, pushed } from "../support/events.ts";
import { drain, textOfEvents } from "./modelRequest.ts";

async function* said(...pieces: readonly string[]): AsyncGenerator<ModelEvent, void, undefined> {
  yield { type: "opened", retries: 0 };
  for (const text of pieces) yield { type: "text", text };
  yield { type: "end", finishReason: "length" };
}

function cutAtStop(events: AsyncIterable<ModelEvent>, stops: readonly string[]): AsyncIterable<ModelEvent> {
  const cut = new StopCut(stops);
  return pulled((take) =>
    pushed(events, async (batch) => {
      await take(cut.push(batch));
      return cut.isOver ? "enough" : undefined;
    }),
  );
}

describe("an answer that an upstream will not stop", () => {
  it.each([
    ["one piece", ["a END b"]],
    ["single characters", [..."a END b"]],
    ["a stop text over three pieces", ["a E", "N", "D b"]],
    ["another stop text further on", ["a END STOP b"]],
  ])("ends before the first stop text: %s", async (_, pieces) => {
    const all = await drain(cutAtStop(said(...pieces), ["STOP", "END"]));
    expect(textOfEvents(all)).toBe("a ");
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });

  it.each([
    ["what only began like one", ["a EN", "d b E"]],
    ["an empty stop text", ["a b"]],
  ])("keeps %s, and its own end", async (_, pieces) => {
    const all = await drain(cutAtStop(said(...pieces), ["END", ""]));
    expect(textOfEvents(all)).toBe(pieces.join(""));
    expect(all.at(-1)).toEqual({ type: "end", finishReason: "length" });
  });

  it("ends at the same place in one batch as in many", async () => {
    const events = await drain(said("a ", "EN", "D b", "c"));
    expect(textOfEvents(new StopCut(["END"]).push(events))).toBe("a ");
    expect(new StopCut(["END"]).push(events).at(-1)).toEqual({ type: "end", finishReason: "stop" });
  });

  it("is closed at once: nobody pays for the rest", async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<ModelEvent, void, undefined> {
      try {
        for (;;) yield { type: "text", text: "END" };
      } finally {
        closed = true;
      }
    }
    await drain(cutAtStop(endless(), ["END"]));
    expect(closed).toBe(true);
  });
});
