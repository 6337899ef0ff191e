import { describe, expect, it } from "@jest/globals";
import { callKey } from "../../../../src/core/runs/callKey.ts";

describe("the key of a call", () => {
  it("is the same whatever the order of keys and the white space", () => {
    const one = callKey({ name: "f", arguments: '{"a": 1, "b": {"d": 1, "c": 2}}' });
    expect(callKey({ name: "f", arguments: '{"b":{"c":2,"d":1},"a":1}' })).toBe(one);
  });

  it("is the same however a number is spelled, and another for another id of twenty digits", () => {
    const key = (n: string): string => callKey({ name: "f", arguments: `{"n": ${n}}` });
    expect([key("1.0"), key("1e0"), key("10e-1")]).toEqual([key("1"), key("1"), key("1")]);
    expect(key("12345678901234567890")).not.toBe(key("12345678901234567891"));
  });

  it("is the very text where the arguments have more values than any call: to order them would hold everybody up", () => {
    const long = `{"b": 1, "a": [${"1, ".repeat(60_000)}1]}`;
    expect(callKey({ name: "f", arguments: long })).toBe(`f ${long}`);
  });
});
