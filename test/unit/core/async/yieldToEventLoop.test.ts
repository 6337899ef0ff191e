import { describe, expect, it } from "@jest/globals";
import { YieldBudget } from "../../../../src/core/async/yieldToEventLoop.ts";

function turns(slice: number, works: readonly number[]): readonly boolean[] {
  const pace = new YieldBudget(slice);
  return works.map((work) => pace.isDue(work));
}

describe("yieldToEventLoop: long work is due a turn of the loop", () => {
  it("before the piece that its slice has no room for, which is the first of the next slice", () => {
    expect(turns(10, [6, 4, 1, 9, 1])).toEqual([false, false, true, false, true]);
  });

  it("before each piece that is more than a slice by itself, the first too, and before what follows it", () => {
    expect(turns(10, [11, 11, 1])).toEqual([true, true, true]);
  });

  it("never for pieces that cost nothing", () => {
    expect(turns(10, [10, 0, 0, 0])).toEqual([false, false, false, false]);
  });
});
