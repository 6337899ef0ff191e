// The time of parsing: that of the slices, whoever waits between them.
import { describe, expect, it } from "@jest/globals";
import { TimedParser } from "../../../../src/agents/attempt/TimedParser.ts";
import type { OutputParser } from "../../../../src/formats/createOutputParser.ts";
import type { Slice } from "../../../../src/formats/MultiFormatOutputParser.ts";
import { feedSlices, finishSlices } from "../../../support/slices.ts";

/** A parser whose every slice takes three milliseconds, of as many slices as the text has letters. */
function setUp() {
  let now = 0;
  let left = 0;
  const nextSlice = (): Slice => {
    now += 3;
    left -= 1;
    return { events: [], more: left > 0 };
  };
  const begin = (slices: number): Slice => {
    left = slices;
    return nextSlice();
  };
  const inner: OutputParser = {
    released: [],
    isPlainText: () => false,
    feedSlice: (text) => begin(text.length),
    nextSlice,
    finishSlice: () => begin(1),
  };
  const parser = new TimedParser(inner, { monotonic: () => now });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { parser, wait };
}

describe("a timed parser", () => {
  it("counts what its slices take, not what happens between them", () => {
    const { parser, wait } = setUp();
    const more: boolean[] = [];
    for (const slice of feedSlices(parser, "abc")) {
      more.push(slice.more);
      wait(100);
    }
    for (const _ of finishSlices(parser, "stop")) wait(100);
    expect([more, parser.ms, parser.released]).toEqual([[true, true, false], 12, []]);
  });

  it("has counted the slices that were asked for where nobody wants the rest", () => {
    const { parser } = setUp();
    expect([parser.feedSlice("abc").more, parser.ms]).toEqual([true, 3]);
  });
});
