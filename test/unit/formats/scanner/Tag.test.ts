// One mark in each of its spellings, in every chunking; what is no mark is told from one that the text cuts off.
import { describe, expect, it } from "@jest/globals";
import type { Source } from "../../../../src/formats/scanner/Source.ts";
import { readTag, readTagOrCut, type Tag } from "../../../../src/formats/scanner/Tag.ts";
import { everySplit } from "../../../support/everySplit.ts";

const any = (): boolean => true;
const read = (text: string): unknown => {
  const [outcome, ...others] = everySplit(text, function* (source: Source) {
    const tag = yield* readTag(source, any);
    return tag ? { ...tag, attributes: [...tag.attributes] } : "none";
  });
  expect(others).toEqual([]);
  return outcome?.value;
};

interface Expected extends Partial<Omit<Tag, "attributes">> {
  readonly attributes?: readonly (readonly [string, string])[];
}

describe("a mark", () => {
  it.each<[string, string, Expected]>([
    ["an element", "<tool_call> x", { name: "tool_call", raw: "<tool_call>", isClosing: false }],
    ["a closing element", "</tool_call>", { name: "tool_call", isClosing: true }],
    ["an element that closes itself", "<f/>", { name: "f", isSelfClosing: true }],
    ["an element with a namespace", "<seed:tool_call>", { name: "tool_call", prefix: "seed" }],
    ["an element with a suffix", "<arg_key:opensource>", { name: "arg_key", suffix: "opensource" }],
    ["an element with attributes", '<invoke name="a > b">', { name: "invoke", attributes: [["name", "a > b"]] }],
    ["an element with a value", "<function=f>", { name: "function", value: "f" }],
    ["an element with a value and no end", "<function=f\n", { name: "function", value: "f", raw: "<function=f" }],
    ["a label", "<tool: f>", { name: "tool:", value: "f" }],
    ["a special token", "<|tool_call|>", { name: "|tool_call|" }],
    ["a special token in full-width bars", "<｜tool▁sep｜>", { name: "|tool_sep|" }],
    ["a token that opens", "<|channel>", { name: "|channel" }],
    ["a token that closes", "<tool_call|>", { name: "tool_call|" }],
    ["a token before an element", "<｜DSML｜invoke>", { name: "invoke", prefix: "|DSML|" }],
    ["a token in doubled brackets", "<<function>>f", { name: "<<function>>", raw: "<<function>>" }],
    [
      "an element between tokens",
      '<|open|>argument key="a"<|sep|>',
      { name: "argument", prefix: "xtml", attributes: [["key", "a"]] },
    ],
  ])("is %s", (_spelling, text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });

  it.each(["< b", "<1", "<a b<c>", "<>", "<a", "<a b=\"c'>", "<|a b|>"])("is not %p", (text) => {
    expect(read(text)).toBe("none");
  });

  it("is told from one that the text cuts off", () => {
    const orCut = (text: string) =>
      everySplit(text, function* (source: Source) {
        return (yield* readTagOrCut(source, (name) => name === "tool_call")) ?? "none";
      });
    expect(orCut("<tool_ca")).toEqual([{ value: "cut", offset: 0 }]);
    expect(orCut("<tool_cat>")).toEqual([{ value: "none", offset: 0 }]);
  });

  it("of a name that nobody asked for is left unread at once", () => {
    const source = everySplit("<div class", function* (text: Source) {
      return (yield* readTag(text, () => false)) ?? "none";
    });
    expect(source).toEqual([{ value: "none", offset: 0 }]);
  });
});
