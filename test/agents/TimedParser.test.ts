// The time of parsing: that of the slices, whoever waits between them.
import { describe, expect, it } from "@jest/globals";
import { TimedParser } from "../../src/agents/TimedParser.ts";
import type { OutputParser } from "../../src/formats/createOutputParser.ts";
import type { Slice } from "../../src/formats/MultiFormatOutputParser.ts";

/** A parser whose every slice takes three milliseconds, of as many slices as the text has letters. */
function setUp() {
  let now = 0;
  let left = 0;
  function* slices(count: number): Generator<Slice> {
    try {
      for (let n = 1; n <= count; n += 1) {
        now += 3;
        yield { events: [], more: n < count };
      }
    } finally {
      left += 1;
    }
  }
  const inner: OutputParser = {
    released: [],
    feedSlices: (text) => slices(text.length),
    finishSlices: () => slices(1),
  };
  const parser = new TimedParser(inner, { monotonic: () => now });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { parser, wait, left: () => left };
}

describe("a timed parser", () => {
  it("counts what its slices take, not what happens between them", () => {
    const { parser, wait } = setUp();
    const more: boolean[] = [];
    for (const slice of parser.feedSlices("abc")) {
      more.push(slice.more);
      wait(100);
    }
    for (const _ of parser.finishSlices("stop")) wait(100);
    expect([more, parser.ms, parser.released]).toEqual([[true, true, false], 12, []]);
  });

  it("lets go of the parser where nobody wants the rest", () => {
    const { parser, left } = setUp();
    for (const _ of parser.feedSlices("abc")) break;
    expect([parser.ms, left()]).toEqual([3, 1]);
  });
});
