// A call behind an explicit label: `tool: NAME key=value` on one line, `TOOL_CALL: {…}`, `call:NAME{k:v}`. Knows no other position.

import type { Argument } from "../../bodies/CallCandidate.ts";
import { decodeBraces } from "../../bodies/decodeBraces.ts";
import { familyOfForm } from "../../families/tables.ts";
import { OPEN_BRACE, OPEN_BRACKET, OPEN_ROUND, SPACE } from "../../text/codes.ts";
import type { Reading } from "../../text/Source.ts";
import { peek, skipBlanks } from "../../text/waiting.ts";
import type { Turn } from "../../turn/Turn.ts";
import { scanBraces } from "./braceCalls.ts";
import { readBracketed } from "./bracketedCalls.ts";
import { callee, isLineEnd, readWord } from "./callWords.ts";
import { fitShape, type ShapeRead } from "./fitShape.ts";
import { pythonCalls, readNamedJson, skipArguments } from "./namedArguments.ts";

/** Characters of a line of pairs. */
const LINE_LIMIT = 4096;

/** Behind a label of `label` characters at the cursor: a name with its arguments in any form, or calls in brackets. */
export function* readLabelledCall(turn: Turn, label: number): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  source.skip(label);
  const code = yield* skipBlanks(source);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return yield* readBracketed(turn);
  const word = yield* readWord(source, 0, true);
  const name = callee(word.split(":").at(-1) ?? "");
  const tool = turn.resolve(name);
  if (tool === undefined) return undefined;
  const nameFrom = source.offset;
  source.skip(word.length);
  const after = yield* peek(source);
  if (after === OPEN_ROUND) return (yield* skipArguments(turn, from)) ? pythonCalls(turn, nameFrom) : undefined;
  if (after === OPEN_BRACE) return yield* readBraces(turn, from);
  if (after === SPACE && (yield* peek(source, 1)) === OPEN_BRACE) {
    source.skip(1);
    return yield* readNamedJson(turn, name);
  }
  const lineFrom = source.offset;
  while (!isLineEnd(yield* peek(source)) && source.offset - lineFrom < LINE_LIMIT) source.skip(1);
  const list = readLinePairs(turn.captured(lineFrom, source.offset), turn.parameters(tool));
  return list && fitShape(turn, "json", [{ name, arguments: { type: "list", list }, repairs: [] }]);
}

/** The braces of `call:NAME{k:v}`, whose label begins at `from`. */
function* readBraces(turn: Turn, from: number): Reading<ShapeRead | undefined> {
  if ((yield* scanBraces(turn, "<ctrl46>", undefined)) !== "balanced") return undefined;
  const candidates = decodeBraces(turn.captured(from, turn.source.offset), {
    strings: ["<ctrl46>", '<|"|>'],
    knownParameters: turn.parameters,
  });
  return fitShape(turn, "named-json", candidates, familyOfForm("labelled-braces"));
}

const PAIR = /[\s,]*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,"']+))/y;

/** `key=value` pairs that fill a line; undefined where anything else stands there. Only keys of `known` are keys. */
function readLinePairs(line: string, known: readonly string[]): readonly Argument[] | undefined {
  const pairs: Argument[] = [];
  let at = 0;
  while (line.slice(at).trim() !== "") {
    PAIR.lastIndex = at;
    const match = PAIR.exec(line);
    const [, key = "", double, single, bare = ""] = match ?? [];
    if (!match || !known.includes(key) || pairs.length >= known.length) return undefined;
    pairs.push({ key, value: double ?? single ?? bare, form: "raw" });
    at = PAIR.lastIndex;
  }
  return pairs.length > 0 ? pairs : undefined;
}
