import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../src/core/events.ts";
import { EventSlices } from "../../src/models/EventSlices.ts";

const text: ModelEvent = { type: "text", text: "a" };

/** The lengths of the slices of these batches, each with whether the loop takes a turn behind it. */
function slicesOf(...batches: readonly (readonly ModelEvent[])[]): readonly (readonly [number, boolean])[] {
  const slices = new EventSlices();
  return batches.flatMap((events) => {
    const found: (readonly [number, boolean])[] = [];
    for (let from = 0; from < events.length; ) {
      const end = slices.endOf(events, from);
      found.push([end - from, slices.isFull]);
      from = end;
    }
    return found;
  });
}

const many = (count: number, event: ModelEvent = text): readonly ModelEvent[] =>
  Array.from({ length: count }, () => event);

describe("the events of an answer", () => {
  it("are worked off 256 at a time", () => {
    expect(slicesOf(many(600))).toEqual([
      [256, true],
      [256, true],
      [88, false],
    ]);
  });

  it("count on from one read to the next", () => {
    expect(slicesOf(many(200), many(200), many(1))).toEqual([
      [200, false],
      [56, true],
      [144, false],
      [1, false],
    ]);
  });

  it("count for more where their arguments are long", () => {
    const long: ModelEvent = { type: "call-fragment", index: 0, arguments: "x".repeat(256 * 255) };
    expect(slicesOf(many(3, long))).toEqual([
      [1, true],
      [1, true],
      [1, true],
    ]);
  });
});
