// Lists of calls of which a part cannot be read: a list is one unit, so nothing of it leaves. Finds the parts; emits nothing.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { COMMA, OPEN_BRACE, OPEN_BRACKET, OPEN_ROUND, SEMICOLON } from "../../text/codes.ts";
import type { Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import { decodeBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { callee, isLineEnd, readWord } from "./callWords.ts";
import { familyOf } from "./fitShape.ts";

/** Spaces between an item and the end of its line. */
const SPACES_LIMIT = 128;

/**
 * Moves over an item that no reader could read: an offered name and its brackets, or, behind a comma (`listed`), brackets alone.
 * False, and the cursor somewhere behind, where what stands here is no item.
 */
export function* passItem(turn: Turn, listed: boolean): Reading<boolean> {
  const { source } = turn;
  const until = source.offset + turn.options.captureChars;
  const word = yield* readWord(source, 0);
  const bracket = yield* peek(source, word.length);
  const named = turn.resolve(callee(word)) !== undefined && (bracket === OPEN_ROUND || bracket === OPEN_BRACE);
  if (!named && !(listed && word === "" && (bracket === OPEN_BRACE || bracket === OPEN_BRACKET))) return false;
  source.skip(word.length);
  if ((yield* scanBalanced(source, until)) !== "balanced") return false;
  for (let ahead = 0; ahead < SPACES_LIMIT; ahead += 1) {
    const code = yield* peek(source, ahead);
    if (isLineEnd(code) || code === COMMA || code === SEMICOLON) return true;
    if (!isBlank(code)) return false;
  }
  return false;
}

/** Whether a list in square brackets holds a call that can be read beside what is no value at all: a list of other data is data. */
export function isPartlyReadable(turn: Turn, body: string): boolean {
  if (!body.startsWith("[") || !body.endsWith("]")) return false;
  const items = itemsOf(body.slice(1, -1));
  return items.some((item) => isCall(turn, item)) && items.some((item) => !decodeJson(item) && !isCall(turn, item));
}

function isCall(turn: Turn, item: string): boolean {
  const decoded = decodeBody(turn, item, false);
  return decoded !== undefined && turn.fit(decoded.candidates, familyOf(turn, decoded.grammar)) !== undefined;
}

/** What stands between the commas that are in no bracket and no string; empty where brackets do not match. */
function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") at = stringEnd(text, at, char);
    else if (char === "[" || char === "{" || char === "(") depth += 1;
    else if (char === "]" || char === "}" || char === ")") depth -= 1;
    else if (char === "," && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
    if (depth < 0) return [];
  }
  return [...items, text.slice(start).trim()];
}

function stringEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}
