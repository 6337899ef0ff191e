// Every mark of the families' tables, spelt as a model writes it. Knows no mark's meaning.
import { BLOCKS } from "../../src/formats/families/blocks.ts";
import { LEAD } from "../../src/formats/families/callTags.ts";
import { ANSWER_WRAPPERS } from "../../src/formats/families/finalAnswer.ts";
import { FRAME_MARKS, TURN_ENDS, TURN_STARTS } from "../../src/formats/families/frames.ts";
import { REASONING } from "../../src/formats/families/reasoning.ts";
import { SECTION_MARKS } from "../../src/formats/families/sections.ts";
import { BRACE_ROWS } from "../../src/formats/grammars/braces.ts";

/** Without repetition, in the order of the tables. */
export const ALL_MARKS: readonly string[] = [
  ...new Set([
    ...[
      ...BLOCKS.flatMap((row) => [row.open, ...row.close]),
      ...SECTION_MARKS.keys(),
      ...REASONING.flatMap((row) => [...row.open, ...row.close]),
      ...BRACE_ROWS.flatMap((row) => [row.open, row.close]),
      ...TURN_ENDS,
      ...TURN_STARTS,
      ...FRAME_MARKS,
      ...[...ANSWER_WRAPPERS.keys()].flatMap((name) => [name, `/${name}`]),
      "|channel|",
      "|message|",
    ].map(spell),
    LEAD,
    "[TOOL_CALL]",
    "[/TOOL_CALL]",
    "[ARGS]",
    "[CALL_ID]",
    "✿FUNCTION✿",
    "✿ARGS✿",
    "✿RESULT✿",
  ]),
];

/** The tables name tags without their angle brackets; sentences and bracket marks stand for themselves. */
function spell(name: string): string {
  if (name.startsWith("xtml:")) {
    const element = name.slice("xtml:".length);
    return element.startsWith("/") ? `<|close|>${element.slice(1)}<|sep|>` : `<|open|>${element}<|sep|>`;
  }
  return /^[/|\w][\w:/|#"]*$/.test(name) && name !== "functools" ? `<${name}>` : name;
}
