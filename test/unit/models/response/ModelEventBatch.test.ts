import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import { ModelEventBatch } from "../../../../src/models/response/ModelEventBatch.ts";

const text: ModelEvent = { type: "text", text: "a" };

/** The lengths of the slices of these batches, 0 where the loop takes a turn. */
function slicesOf(...batches: readonly (readonly ModelEvent[])[]): readonly number[] {
  const slices = new ModelEventBatch();
  return batches.flatMap((events) => {
    const found: number[] = [];
    for (let from = 0; from < events.length; ) {
      const end = slices.findEnd(events, from);
      found.push(end - from);
      from = end;
    }
    return found;
  });
}

const many = (count: number, event: ModelEvent = text): readonly ModelEvent[] =>
  Array.from({ length: count }, () => event);

describe("ModelEventBatch: the events of an answer", () => {
  it("are worked off 256 at a time, with a turn of the event loop between", () => {
    expect(slicesOf(many(600))).toEqual([256, 0, 256, 0, 88]);
  });

  it("of one read are not parted where they have room in a slice", () => {
    expect(slicesOf(many(200), many(200), many(1))).toEqual([200, 0, 200, 1]);
  });

  it("count on from one read to the next", () => {
    expect(slicesOf(...many(600).map((one) => [one])).filter((length) => length === 0)).toHaveLength(2);
  });

  it("count for more where their arguments are long", () => {
    const long: ModelEvent = { type: "call-fragment", index: 0, arguments: "x".repeat(256 * 255) };
    expect(slicesOf(many(3, long))).toEqual([1, 0, 1, 0, 1]);
  });
});
