// Whether a whole text is words and nothing else, told at a look: what is said to be so the parser gives as it is. Reads no call and no mark.
import type { ToolMode, ToolSpec } from "../core/messages.ts";
import { opensBySentence } from "./channels/ReasoningReader.ts";
import type { TextReading } from "./createOutputParser.ts";
import { LEAD } from "./families/callTags.ts";
import { isNoMark, SIGNS } from "./families/marks.ts";
import { WIRES } from "./families/tables.ts";
import { type Offer, offerOf } from "./fitting/offer.ts";
import { LINE_OPENERS, TEXT_OPENERS } from "./forms/headed/openings.ts";
import { isCallWord, isWordStart } from "./forms/shapes/callWords.ts";
import { COLON, LESS_THAN, LOWER_C, NEWLINE, OPEN_BRACE } from "./text/codes.ts";
import { Source, StopTable } from "./text/Source.ts";
import { isBlank, visibleEnd } from "./text/whiteSpace.ts";

export interface PlainReading {
  readonly model: Pick<TextReading["model"], "formats" | "wire" | "reasoning">;
  readonly toolMode: ToolMode;
  /** Those that may be called. */
  readonly tools: readonly ToolSpec[];
}

/** Characters that are looked at in one go. */
const MOST_CHARS = 65_536;
/** With these a mark may begin, wherever it stands; a carriage return waits for what follows. */
const MARKS = `<${SIGNS}${LEAD.charAt(0)}✿\r`;
const WITHOUT_TOOLS = new StopTable(MARKS);
/** And with these a call: with a line's first word, or with a brace behind a colon. */
const WITH_TOOLS = new StopTable(`${MARKS}\n{`);
/** What a line begins with that a reader looks at, words aside: brackets, fences, elements, comments before a call. */
const LINE_STARTS = new StopTable("[{`~</");
const WORD = /[\w.\\-]*/y;

/** False where a reader has to look: that the text is plain is said only of what is seen to be. */
export function isPlainText(text: string, { model, toolMode, tools }: PlainReading): boolean {
  if (text.length > MOST_CHARS || visibleEnd(text) === 0 || TEXT_OPENERS.has(text.charCodeAt(0))) return false;
  if (opensBySentence(model.reasoning.marks) || beginsPrefilled(text, model.wire)) return false;
  if (tools.length === 0) return hasPlainStops(text, WITHOUT_TOOLS, undefined);
  // What a model is known to write, or was asked to, begins with more than what any may.
  if (toolMode === "text" || model.formats.length > 0) return false;
  const offer = offerOf(tools);
  return isPlainStart(text, 0, offer) && hasPlainStops(text, WITH_TOOLS, offer);
}

/** @param offer absent where no call is allowed. */
function hasPlainStops(text: string, stops: StopTable, offer: Offer | undefined): boolean {
  let source: Source | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (!stops.has(code)) continue;
    if (code === NEWLINE || code === OPEN_BRACE) {
      if (offer && !(code === NEWLINE ? isPlainStart(text, at + 1, offer) : !isLabelled(text, at))) return false;
      continue;
    }
    if (!source) {
      source = new Source(text.length);
      source.append(text);
    }
    source.skip(at - source.offset);
    if (!isNoMark(source, code)) return false;
    if (offer && (code === LESS_THAN ? text.charCodeAt(at + 1) === LOWER_C : isLabelled(text, at))) return false;
  }
  return true;
}

/** Whether no call can begin with the first word of a line. */
function isPlainStart(text: string, lineStart: number, { nameStarts }: Offer): boolean {
  let at = lineStart;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  const code = text.charCodeAt(at);
  if (LINE_STARTS.has(code)) return false;
  if (!isWordStart(code)) return true;
  if (LINE_OPENERS.has(code) || nameStarts.has(code)) return false;
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0] ?? "";
  return !isCallWord(word) && !text.startsWith(" = ", at + word.length);
}

/** Whether a bracket stands behind a colon, as calls behind a label do. */
function isLabelled(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before))) before -= 1;
  return text.charCodeAt(before) === COLON;
}

function beginsPrefilled(text: string, wire: string | undefined): boolean {
  const start = wire === undefined ? undefined : WIRES.find(({ id }) => id === wire)?.reasoningStart;
  return start !== undefined && text.startsWith(start);
}
