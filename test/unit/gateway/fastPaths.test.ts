import { describe, expect, it } from "@jest/globals";
import { readFastPaths } from "../../../src/gateway/fastPaths.ts";

describe("readFastPaths", () => {
  it("switches the fast paths off only if the variable is `off`", () => {
    const read = (value?: string): boolean => readFastPaths({ POSTEL_FAST_PATHS: value });
    expect([read("off"), read("on"), read(""), read(undefined)]).toEqual([false, true, true, true]);
  });

  it("refuses any other value, and says which values exist", () => {
    expect(() => readFastPaths({ POSTEL_FAST_PATHS: "0" })).toThrow(
      /POSTEL_FAST_PATHS is "0"; set it to `on` or `off`/,
    );
  });
});
