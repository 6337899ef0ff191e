// A call on one line behind an explicit label (`tool: NAME key=value`, `TOOL_CALL: {…}`): the words of the label and the pairs. Decides no name.
import type { Argument } from "../CallCandidate.ts";

const LABELS: ReadonlySet<string> = new Set(["tool", "call", "tool_call", "tool_calls", "function_call"]);

/** Whether a word before `:` or `=` announces a call. */
export function isCallLabel(word: string): boolean {
  return LABELS.has(word.toLowerCase());
}

const PAIR = /[\s,]*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,"']+))/y;

/** `key=value` pairs that fill a line; undefined where anything else stands there. Only keys of `known` are keys. */
export function readLinePairs(line: string, known: readonly string[]): readonly Argument[] | undefined {
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
