// Marks are broken wherever they stand, and a long text is looked through in pieces.
import { describe, expect, it } from "@jest/globals";
import { finish } from "../../../src/core/loopTurn.ts";
import { Neutraliser, neutralise } from "../../../src/formats/rendering/neutralise.ts";

const MARKS = ["<tool_call>", "</tool_call>", "Observation:"];
const PIECE = 65_536;

describe("a text that is looked through in pieces", () => {
  const tokens: readonly [string, string][] = [
    ["<tool_call>", "<\\tool_call>"],
    ["Observation:", "Observation\\:"],
    ["<|im_start|>", "<\\|im_start|>"],
    [`<${"|".repeat(64)}${"a".repeat(64)}|>`, `<\\${"|".repeat(64)}${"a".repeat(64)}|>`],
    ["[/INST]", "[\\/INST]"],
    ["x|>", "x|\\>"],
  ];

  it.each(tokens)("has %s broken once, wherever a piece ends in it", (token, broken) => {
    for (let before = PIECE - token.length - 1; before <= PIECE + 1; before += 1) {
      const text = `${" ".repeat(before)}${token} end`;
      expect(neutralise(text, MARKS) === `${" ".repeat(before)}${broken} end`).toBe(true);
    }
  });

  it("loses no character of a text of nothing but marks", () => {
    expect(neutralise("<s>".repeat(100_000), MARKS) === "<\\s>".repeat(100_000)).toBe(true);
  });

  it("gives the event loop a turn for each piece, of one text or of many", () => {
    const turns = (texts: readonly string[]) => {
      const neutraliser = new Neutraliser(MARKS);
      return texts.reduce((sum, text) => sum + [...neutraliser.neutralise(text)].length, 0);
    };
    expect(turns(["short", "texts"])).toBe(0);
    expect(turns(["<tool_call>".repeat(100_000)])).toBe(Math.floor(1_100_000 / PIECE));
    expect(turns(Array<string>(1_000).fill("x".repeat(1_000)))).toBe(15);
    expect(finish(new Neutraliser(MARKS).neutralise(""))).toBe("");
  });
});
