// Every mark of the families' tables, spelt as a model writes it.
import { LEAD } from "../../src/formats/specs/callTags.ts";
import { type ChatTemplateSpec, collectMarkers } from "../../src/formats/specs/chatTemplates.ts";
import {
  ANSWER_WRAPPERS,
  BRACE_ROWS,
  FRAMING_MARKS,
  REASONING,
  SECTION_MARKS,
  WRAPPERS,
} from "../../src/formats/specs/lookupTables.ts";

/** Without repetition, in the order of the tables. */
export const ALL_MARKS: readonly string[] = [
  ...new Set([
    ...[
      ...WRAPPERS.flatMap((row) => [row.open, ...row.close]),
      ...SECTION_MARKS.keys(),
      ...REASONING.flatMap((row) => [...row.open, ...row.close]),
      ...BRACE_ROWS.flatMap((row) => [row.open, row.close]),
      ...FRAMING_MARKS,
      ...[...ANSWER_WRAPPERS.keys()].flatMap((name) => [name, `/${name}`]),
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

const REASONING_MARKS = new Set(REASONING.flatMap((row) => [...row.open, ...row.close]).map(spell));
const ANSWER_MARKS = new Set([...ANSWER_WRAPPERS.keys()].flatMap((name) => [name, `/${name}`]).map(spell));

/** Marks that are neither reasoning's nor an answer's wrapping: of framing and of calls. */
export const FRAMES_AND_CALLS: readonly string[] = ALL_MARKS.filter((mark) => !ANSWER_MARKS.has(mark)).filter(
  (mark) => !REASONING_MARKS.has(mark) || FRAMING_MARKS.has(mark.slice(1, -1)),
);

/** The framing marks of one wire, with a role behind those that ask for one. */
export function framingOf(wire: ChatTemplateSpec): readonly string[] {
  const headings = wire.starts.flatMap(({ mark = "", words = "", until }) => {
    const opener = mark === "" ? words : spell(mark);
    const closer = until?.[0] === "\n" ? "\n" : until && until[0] !== "*" ? spell(until[0] ?? "") : "";
    return until ? ["assistant", "user", "system"].map((role) => `${opener}${role}${closer}`) : [];
  });
  return [...collectMarkers(wire).map(spell), ...headings];
}

/** The tables name tags without their angle brackets; sentences and bracket marks stand for themselves. */
function spell(name: string): string {
  if (name.startsWith("xtml:")) {
    const element = name.slice("xtml:".length);
    return element.startsWith("/") ? `<|close|>${element.slice(1)}<|sep|>` : `<|open|>${element}<|sep|>`;
  }
  return /^[/|\w][\w:/|#"]*$/.test(name) && name !== "functools" ? `<${name}>` : name;
}
