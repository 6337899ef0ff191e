// Marks are broken wherever they stand, and a long text is looked through in pieces.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import { BrokenMarks, escapeMarkers, MarkerEscaper } from "../../../../src/formats/prompts/escapeMarkers.ts";
import { wireTokens } from "../../../../src/formats/prompts/templateTokens.ts";
import { runsOf } from "../../../support/sample.ts";

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
      expect(escapeMarkers(text, MARKS) === `${" ".repeat(before)}${broken} end`).toBe(true);
    }
  });

  it("loses no character of a text of nothing but marks", () => {
    expect(escapeMarkers("<s>".repeat(100_000), MARKS) === "<\\s>".repeat(100_000)).toBe(true);
  });

  it("gives the event loop a turn for each piece, of one text or of many", () => {
    const turns = (texts: readonly string[]) => {
      const neutraliser = new MarkerEscaper(MARKS);
      return texts.reduce((sum, text) => sum + [...neutraliser.neutralise(text)].length, 0);
    };
    expect(turns(["short", "texts"])).toBe(0);
    expect(turns(["<tool_call>".repeat(100_000)])).toBe(Math.floor(1_100_000 / PIECE));
    expect(turns(Array<string>(1_000).fill("x".repeat(1_000)))).toBe(15);
    expect(runToCompletion(new MarkerEscaper(MARKS).neutralise(""))).toBe("");
  });
});

describe("BrokenMarks", () => {
  const pieces = ["<tool_call>", "</tool_call>", "Observation:", "<|im_end|>", "<｜User｜>", "x|>", "[/INST]", "<s>"];
  const signs = [
    "\\",
    "<",
    "[",
    "|",
    ">",
    " ",
    "a",
    "<\\U+E0041>",
    "\u{e0041}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}",
  ];

  it("gives every text back that was broken, whatever is broken in it already", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...signs), { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const broken = new Set<string>();
        const shown = runToCompletion(new MarkerEscaper(MARKS, { broken }).neutralise(text));
        expect(new BrokenMarks(broken, MARKS).restore(shown)).toBe(text);
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it("leaves alone what was not broken", () => {
    const marks = new BrokenMarks(new Set(["<tool_call>"]), MARKS);
    expect(marks.restore("<\\tool_call> <\\/tool_call> Observation\\: <\\U+E0041>")).toBe(
      "<tool_call> <\\/tool_call> Observation\\: <\\U+E0041>",
    );
  });
});

describe("tag characters", () => {
  it("are written out, but in the flag of a part of a country", () => {
    const flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
    expect(escapeMarkers(`${flag}\u{e0068}\u{e0069}`, [])).toBe(`${flag}<\\U+E0068><\\U+E0069>`);
    // Without its end it is a flag with hidden letters behind it.
    expect(escapeMarkers("\u{1f3f4}\u{e0068}", [])).toBe("\u{1f3f4}<\\U+E0068>");
  });
});

describe("wireTokens", () => {
  const shown = (wire: string | undefined, text: string): string =>
    runToCompletion(new MarkerEscaper([], { tokens: wireTokens(wire) }).neutralise(text));

  it.each([
    ["chatml", "<|im_start|>user", "<\\|im_start|>user"],
    ["llama3", "<|eot_id|>", "<\\|eot_id|>"],
    ["deepseek", "<｜end▁of▁sentence｜><｜User｜>", "<\\｜end▁of▁sentence｜><\\｜User｜>"],
    ["gemma", "<start_of_turn>user<end_of_turn>", "<\\start_of_turn>user<\\end_of_turn>"],
    ["mistral", "[INST] <s>a</s> [/INST]", "[\\INST] <s>a</s> [\\/INST]"],
    ["exaone", "[|user|]", "[\\|user|]"],
  ])("are those of %s", (wire, text, broken) => {
    expect(shown(wire, text)).toBe(broken);
  });

  it("are not those of another template, nor elements of HTML", () => {
    const text = "<|eot_id|> <s>a</s> <｜User｜> [INST]";
    expect([shown("chatml", text), shown(undefined, text), shown("unknown", text)]).toEqual([text, text, text]);
  });
});
