// Texts of which it is said at a look that they are words alone: the parser, which is not asked then, gives them as they are.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isPlainText } from "../../../../../src/formats/grammars/headed/lineStarts.ts";
import { tokensOf } from "../../../../support/chunkings.ts";
import { modelTexts, REQUESTS, request, requests } from "../../../../support/modelTexts.ts";
import { runParser } from "../../../../support/parserRuns.ts";
import { transcriptTexts } from "../../../../support/transcriptTexts.ts";

type Asked = ReturnType<typeof request>;

function isSeen(text: string, { setting }: Asked): boolean {
  return isPlainText(text, { ...setting, ids: { callId: () => "drawn" } });
}

/** What the parser gives of a text that is said to be plain is that text; true where it was said. */
function holds(text: string, asked: Asked): boolean {
  if (!isSeen(text, asked)) return false;
  for (const finishReason of ["stop", "length", null]) {
    const events = runParser([text], { ...asked, finishReason });
    expect({
      text,
      types: [...new Set(events.map(({ type }) => type))],
    }).toEqual({ text, types: ["text"] });
    expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe(text);
  }
  return true;
}

const WORDS = [
  "The",
  "lamp",
  "is",
  "Set",
  "set_lamp",
  "function",
  "call",
  "to=",
  "thought",
  "a",
  "I",
  "Log",
  "Use",
  "Here",
  "9",
  "*",
  "-",
  "/*",
  "`",
  "```",
  "~~~",
  "[",
  "]",
  "{",
  ": [",
  "(x)[1]",
  "<",
  "<b>",
  "<c>",
  ">",
  "/",
  "#",
  "=",
  ":",
  "==",
  "(",
  ")",
  "{}",
  '"',
  "ß🗼",
  "\u200b",
  "assistant",
  "analysis",
  "functions.x",
  "Action:",
  "final",
  "\ufeff",
  "\u0085",
];
/** Prose that is laid out as answers are. */
const prose = fc
  .array(
    fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(" ", " ", " ", "\n", "\n\n", "\n  ", "", "\t", "\r\n", "\r")),
    {
      maxLength: 14,
    },
  )
  .map((pairs) => pairs.flat().join(""));

describe("a text that is said to be plain", () => {
  it("comes out of the parser as it is, in what models write", () => {
    let said = 0;
    fc.assert(
      fc.property(fc.oneof(modelTexts(6), prose, prose), requests, (text, asked) => {
        if (holds(text, asked)) said += 1;
      }),
      { numRuns: 6_000 },
    );
    expect(said).toBeGreaterThan(500);
  });

  it("comes out as it is in every recorded answer, and in each beginning of its words", () => {
    for (const { text } of transcriptTexts())
      for (const asked of REQUESTS) {
        let beginning = "";
        for (const token of ["", ...tokensOf(text).slice(0, 40)]) {
          beginning += token;
          holds(beginning, asked);
        }
        holds(text, asked);
      }
  });

  it("is what most answers are", () => {
    const answer =
      "The lamp is lit.\n\n1. Leave at eight.\n2. Keep north, as x = 1 says.\n\n- So, (and so) on: all is well!\n";
    expect(isSeen(answer, request())).toBe(true);
    expect(isSeen("Use `x[0] < y`, or [this](that) {or so}.", request({ callsAllowed: false }))).toBe(true);
    for (const more of ['{"and": [1]}', "set_lamp(1)", "So: [1]", "<tool_call>", "```\n"])
      expect([more, isSeen(answer + more, request())]).toEqual([more, false]);
  });
});
