// Reads the labels of labelled text (Thought, Action, Action Input, Observation, Final Answer) as models spell them.

import { ASTERISK, COLON, HASH, NEWLINE, RETURN, SPACE } from "../../scanner/charCodes.ts";
import { measureWhile, peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, type Source } from "../../scanner/Source.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { ANSWER_LABELS, WEAK_ANSWER_LABELS } from "../../specs/chatTemplates.ts";

/** `answer` is a final label only after a thought; `question` begins the next round of a transcript that the model continues. */
type Label = "thought" | "action" | "input" | "observation" | "final" | "answer" | "question";

export interface LabelMark {
  readonly label: Label;
  readonly length: number;
}

/** Spellings without decoration and case; localised ones are from bilingual prompts. */
const ROWS: readonly { readonly label: Label; readonly words: readonly string[] }[] = [
  { label: "thought", words: ["thought", "thoughts", "思考", "pensamiento"] },
  { label: "action", words: ["action", "行动", "acción"] },
  { label: "input", words: ["action input", "action_input", "action inputs", "行动输入", "entrada de la acción"] },
  { label: "observation", words: ["observation", "观察", "observación"] },
  { label: "question", words: ["question"] },
  { label: "final", words: ANSWER_LABELS },
  { label: "answer", words: WEAK_ANSWER_LABELS },
];
const LABELS = new Map(ROWS.flatMap(({ label, words }) => words.map((word) => [word, label] as const)));
const SPELLINGS = [...LABELS.keys()];
const LABEL_LIMIT = 40;
const DECORATION = new Set(["*", "#", "`", ">", "-"]);

/** Reads the label at the cursor (a line's first visible character), including decorations; undefined if there is none. */
export function* readLabel(source: Source): Parser<LabelMark | undefined> {
  const isHeading = (yield* peek(source)) === HASH;
  let i = 0;
  let word = "";
  for (; i < LABEL_LIMIT; i += 1) {
    const code = yield* peek(source, i);
    if (code === NEWLINE && isHeading && LABELS.get(word.trim()) === "final") return { label: "final", length: i + 1 };
    if (code === END || code === NEWLINE || code === RETURN) return undefined;
    if (code === COLON || code === 0xff1a) break;
    const char = isBlank(code) ? " " : String.fromCharCode(code);
    if (DECORATION.has(char)) continue;
    word += char.toLowerCase();
    if (!isLabelPrefix(word)) return undefined;
  }
  const label = LABELS.get(stripNumber(word));
  if (label === undefined) return undefined;
  const end = yield* measureWhile(source, (code) => code === ASTERISK, i + 1);
  return { label, length: (yield* peek(source, end)) === SPACE ? end + 1 : end };
}

function isLabelPrefix(word: string): boolean {
  const bareText = word.trimStart().replace(/\d+ ?/, "").trimEnd();
  return bareText === "" || SPELLINGS.some((spelling) => spelling.startsWith(bareText));
}

/** `action 2` and `action 2 input` are steps of a numbered run. */
function stripNumber(word: string): string {
  return word
    .replace(/[\d\s]+$/, "")
    .replace(/ \d+ /, " ")
    .trim();
}

/** The label on one of the next lines, to which the cursor moves, if one is the next that stands there. */
export function* readLabelAfterBlanks(source: Source): Parser<LabelMark | undefined> {
  yield* skipBlanks(source);
  return yield* readLabel(source);
}

/** Returns the label on the next non-blank line, or `end` at the end of the text. The cursor stays, in buffered text. */
export function* findNextLabel(source: Source): Parser<Label | "end" | undefined> {
  const from = source.offset;
  const marker = yield* readLabelAfterBlanks(source);
  const isOver = (yield* peek(source)) === END;
  source.moveBack(from);
  return isOver ? "end" : marker?.label;
}
