// Brace literals (`call:NAME{key:value}` and `{tool => "NAME", args => {--key value}}`) → call candidates. Knows no marks around them.

import { type BraceOptions, BraceReader, type BraceValue } from "./BraceReader.ts";
import type { Argument, CallCandidate } from "./CallCandidate.ts";

/**
 * The calls of a whole body; undefined where there is none or anything else stands beside them. Strings between
 * delimiters have form `string`, unquoted text `raw`, all else is JSON. Linear; depth at most 64.
 */
export function decodeBraces(body: string, options: BraceOptions): readonly CallCandidate[] | undefined {
  const reader = new BraceReader(body, options);
  reader.space();
  if (!reader.take("{")) return namedCalls(reader);
  const call = arrowCall(reader);
  reader.space();
  return call && reader.atEnd ? [call] : undefined;
}

const HEADER = /<?[\s\x85]*(?:call:[\s\x85]*)?([\p{L}\p{N}_.:/-]+)[\s\x85]*\{/uy;
const ARROW_KEY = /[\s,]*["']?(\w+)["']?\s*(?:=>|:|=)\s*/y;
const FLAG = /[\s,]*--([^\s=]+)(?:\s*=\s*|\s+)/y;
const NAME_KEYS: ReadonlySet<string> = new Set(["tool", "name", "function"]);
const ARGUMENT_KEYS: ReadonlySet<string> = new Set(["args", "arguments", "params", "parameters"]);

/** `call:NAME{…}`, once or more. */
function namedCalls(reader: BraceReader): readonly CallCandidate[] | undefined {
  const calls: CallCandidate[] = [];
  for (;;) {
    const name = reader.match(HEADER)?.[1]?.split(":").at(-1);
    if (!name) return undefined;
    reader.expect(name);
    const list = reader.members(0);
    if (!list || !reader.endsCall()) return undefined;
    calls.push({ name, arguments: { type: "list", list }, repairs: reader.repairs });
    reader.match(/\s*>?\s*/y);
    if (reader.atEnd) return calls;
  }
}

/** `tool => "N", args => {…}}` from behind the first brace. */
function arrowCall(reader: BraceReader): CallCandidate | undefined {
  let name = "";
  let list: readonly Argument[] = [];
  for (;;) {
    reader.match(/[\s,]*/y);
    if (reader.take("}")) break;
    const key = reader.match(ARROW_KEY)?.[1]?.toLowerCase() ?? "";
    if (NAME_KEYS.has(key) && name === "") {
      name = reader.quoted(/[,\s}]/y)?.value ?? reader.match(/[^\s,{}"']+/y)?.[0] ?? "";
      if (name === "") return undefined;
      reader.expect(name);
    } else if (ARGUMENT_KEYS.has(key) && reader.take("{")) {
      reader.space();
      const read = reader.sees(/--/y) ? flags(reader) : reader.members(0);
      if (!read) return undefined;
      list = read;
    } else return undefined;
  }
  return name === "" ? undefined : { name, arguments: { type: "list", list }, repairs: reader.repairs };
}

/** `--key value` pairs up to the closing brace. */
function flags(reader: BraceReader): readonly Argument[] | undefined {
  const list: Argument[] = [];
  for (;;) {
    reader.match(/[\s,]*/y);
    if (reader.take("}")) return list;
    const key = reader.match(FLAG)?.[1];
    const value = key === undefined ? undefined : flagValue(reader);
    if (value === undefined) return undefined;
    list.push({ key, ...value });
  }
}

function flagValue(reader: BraceReader): BraceValue | undefined {
  const c = reader.peek();
  if (c === '"' || c === "'") return reader.quoted(/\s*(?:,\s*)?(?:--[\w-]|\})/y);
  if (c === "{" || c === "[") return reader.value(0);
  const bare = reader.match(/(?:(?!\s--\p{L})[^\n}])+/uy)?.[0].trim();
  return bare && !bare.startsWith("--") ? { value: bare, form: "raw" } : undefined;
}
