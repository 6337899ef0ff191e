// The labels of labelled text (Thought, Action, Action Input, Observation, Final Answer) as models spell them. Knows nothing of what follows.

import { ANSWER_LABELS, WEAK_ANSWER_LABELS } from "../../families/finalAnswer.ts";
import { ASTERISK, COLON, HASH, NEWLINE, RETURN, SPACE } from "../../text/codes.ts";
import { END, type Reading, type Source } from "../../text/Source.ts";
import { peek } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";

/** `answer` is a final label only behind a thought; `question` begins the next round of a transcript that the model goes on with. */
type Label = "thought" | "action" | "input" | "observation" | "final" | "answer" | "question";

export interface LabelMark {
  readonly label: Label;
  readonly length: number;
}

/** Spellings without decoration and case; localised ones are from bilingual prompts. */
const LABELS: ReadonlyMap<string, Label> = new Map<string, Label>([
  ["thought", "thought"],
  ["thoughts", "thought"],
  ["思考", "thought"],
  ["action", "action"],
  ["行动", "action"],
  ["acción", "action"],
  ["action input", "input"],
  ["action_input", "input"],
  ["action inputs", "input"],
  ["行动输入", "input"],
  ["observation", "observation"],
  ["question", "question"],
  ["观察", "observation"],
  ["pensamiento", "thought"],
  ["entrada de la acción", "input"],
  ["observación", "observation"],
  ...ANSWER_LABELS.map((label) => [label, "final"] as const),
  ...WEAK_ANSWER_LABELS.map((label) => [label, "answer"] as const),
]);
const SPELLINGS = [...LABELS.keys()];
const LABEL_LIMIT = 40;
const DECORATION = new Set(["*", "#", "`", ">", "-"]);

/** The label at the cursor (a line's first visible character), decorations included; undefined where there is none. */
export function* readLabel(source: Source): Reading<LabelMark | undefined> {
  const heading = (yield* peek(source)) === HASH;
  let i = 0;
  let word = "";
  for (; i < LABEL_LIMIT; i += 1) {
    const code = yield* peek(source, i);
    if (code === NEWLINE && heading && LABELS.get(word.trim()) === "final") return { label: "final", length: i + 1 };
    if (code === END || code === NEWLINE || code === RETURN) return undefined;
    if (code === COLON || code === 0xff1a) break;
    const char = isBlank(code) ? " " : String.fromCharCode(code);
    if (DECORATION.has(char)) continue;
    word += char.toLowerCase();
    if (!couldBeLabel(word)) return undefined;
  }
  const label = LABELS.get(withoutNumber(word));
  if (label === undefined) return undefined;
  i += 1;
  while ((yield* peek(source, i)) === ASTERISK) i += 1;
  return { label, length: (yield* peek(source, i)) === SPACE ? i + 1 : i };
}

function couldBeLabel(word: string): boolean {
  const plain = word.trimStart().replace(/\d+ ?/, "");
  const bare = plain.trimEnd();
  return bare === "" || SPELLINGS.some((spelling) => spelling.startsWith(bare) || bare === spelling);
}

/** `action 2` and `action 2 input` are steps of a numbered run. */
function withoutNumber(word: string): string {
  return word
    .replace(/[\d\s]+$/, "")
    .replace(/ \d+ /, " ")
    .trim();
}
