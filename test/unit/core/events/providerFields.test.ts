// What nobody models is kept apart, put together again and joined without changing a word of it.
import { describe, expect, it } from "@jest/globals";
import type { Extra } from "../../../../src/core/events/events.ts";
import {
  extractFunctionFields,
  extractProviderFields,
  mergeExtra,
  withProviderFields,
} from "../../../../src/core/events/providerFields.ts";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";

function details(...lists: readonly JsonValue[]): JsonObject {
  const extra = lists.map((list): Extra => ({ level: "delta", fields: { reasoning_details: list } }));
  return mergeExtra(extra, "delta");
}

describe("unmodelled members", () => {
  it("are kept apart without nulls, which say nothing, and without a name that would set a prototype", () => {
    const given = JSON.parse('{"a": 1, "known": 2, "none": null, "__proto__": {"x": 1}}') as JsonObject;
    expect(extractProviderFields(given, new Set(["known"]))).toEqual({ a: 1 });
    expect(extractProviderFields({ known: 1, none: null }, new Set(["known"]))).toBeUndefined();
  });

  it("of a call or a tool come back to their places and never overrule what is modelled", () => {
    const wire = { id: "a", type: "function", mark: 1, function: { name: "f", arguments: "{}", hint: 2 } };
    const extra = extractFunctionFields({ index: 3, ...wire });
    expect(extra).toEqual({ mark: 1, function: { hint: 2 } });
    const modelled = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    expect(withProviderFields(extra, modelled)).toEqual(wire);
    expect(withProviderFields({ id: "evil", function: { name: "evil" } }, modelled)).toEqual(modelled);
  });

  it("of a tool that speak to the gateway go no further, in whatever case they are written", () => {
    const inner = { name: "f", "x-postel-danger": "off", hint: 2 };
    expect(extractFunctionFields({ type: "function", "x-postel-note": 1, mark: 1, function: inner })).toEqual({
      mark: 1,
      function: { hint: 2 },
    });
    expect(extractFunctionFields({ "X-Postel-Anything": {}, function: { "x-postel-a": 1 } })).toBeUndefined();
    expect(extractFunctionFields({ "x-post": 1 })).toEqual({ "x-post": 1 });
  });

  it("that came in pieces of one index are one element, whose type and id are said once", () => {
    expect(
      details(
        [{ type: "reasoning.text", index: 0, id: "r", text: "ha" }],
        [{ type: "reasoning.text", index: 0, id: "r", text: "ha" }],
        [{ type: "reasoning.text", index: 0, signature: "sig" }],
      ),
    ).toEqual({ reasoning_details: [{ type: "reasoning.text", index: 0, id: "r", text: "haha", signature: "sig" }] });
  });

  it("of another kind, another index, no index or behind a signature stay elements of their own", () => {
    const list = [
      { type: "reasoning.text", index: 0, text: "a", signature: "s1" },
      { type: "reasoning.text", index: 0, text: "b" },
      { type: "reasoning.encrypted", index: 0, data: "x" },
      { type: "reasoning.encrypted", index: 1, data: "y" },
      { text: "c" },
      { text: "d" },
    ];
    expect(details(...list.map((one) => [one]))).toEqual({ reasoning_details: list });
  });

  it("are joined without a word of what was given being changed", () => {
    const given: readonly Extra[] = [
      { level: "delta", fields: { a: { list: [1], text: "x" }, list: [{ index: 0, text: "p" }] } },
      { level: "delta", fields: { a: { list: [2], text: "y" }, list: [{ index: 0, text: "q" }] } },
    ];
    const before = JSON.stringify(given);
    expect(mergeExtra(given, "delta")).toEqual({ a: { list: [1, 2], text: "xy" }, list: [{ index: 0, text: "pq" }] });
    expect(JSON.stringify(given)).toBe(before);
    const choice = given.map(({ fields }): Extra => ({ level: "choice", fields }));
    expect(mergeExtra(choice, "choice").a).toEqual({ list: [1, 2], text: "y" });
  });
});
