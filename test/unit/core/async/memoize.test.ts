// What is made once for a key, also where nothing came of it.
import { describe, expect, it } from "@jest/globals";
import { memoize } from "../../../../src/core/async/memoize.ts";

describe("what is remembered", () => {
  it.each([["a value"], [undefined]])("is made once of its key, be it %s", (value) => {
    const known = new Map<string, string | undefined>();
    const made: string[] = [];
    const make = (key: string): string | undefined => {
      made.push(key);
      return value;
    };
    expect([memoize(known, "a", make), memoize(known, "a", make)]).toEqual([value, value]);
    expect(made).toEqual(["a"]);
  });
});
