// Converts structured calls of native mode to candidates: separates all that an upstream's own parser left in names and arguments.
// Names and values are fitted later, as those of text are.

import { maxMendedValues } from "../decoders/bodyLimits.ts";
import type { Argument, CallCandidate, CandidateArguments } from "../decoders/CallCandidate.ts";
import { parallelNames, readCallObjects } from "../decoders/callObjects.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { decodePython } from "../decoders/decodePython.ts";
import { emptyObject, findBalancedRegions, isOversizedObject, type ValueText } from "../decoders/jsonTree.ts";

export interface NativeCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** As the wire had them: usually JSON text of an object, not always. */
  readonly arguments: string;
}

/**
 * Returns the candidates of one structured call: usually one, several if arguments or parts were concatenated. Unreadable arguments
 * become `unreadable`, which fitting refuses. They are never guessed or replaced by an empty object.
 */
export function readNativeCalls(call: NativeCall): readonly CallCandidate[] {
  const isEmpty = call.arguments.trim() === "" || call.arguments.trim() === "{}";
  const name = withoutTag(stripRecipient(call.name));
  const inName = isEmpty ? readName(name, call.id) : undefined;
  if (inName) return inName;
  const parts = parallelNames.has(name) ? readParts(call.arguments) : undefined;
  return parts ?? readCalls(name, call.id, call.arguments);
}

/** Returns one call for each value in the arguments. The first has the id. */
function readCalls(name: string, id: string | undefined, text: string): readonly CallCandidate[] {
  return readValues(text).map((value, index) => ({ name, id: index === 0 ? id : undefined, ...value }));
}

function readParts(text: string): readonly CallCandidate[] | undefined {
  const decoded = decodeJson(text);
  if (!decoded?.text.includes("tool_uses")) return undefined;
  const calls = readCallObjects(decoded, { isOffered: () => false, allowFlat: false });
  return calls?.map((call) => ({ ...call, repairs: ["parallel-expanded", ...decoded.repairs, ...call.repairs] }));
}

type Value = Pick<CallCandidate, "arguments" | "repairs">;

function readValues(text: string): readonly Value[] {
  if (text.trim() === "") return [{ arguments: { type: "json", value: emptyObject }, repairs: [] }];
  const tagged = text.trimStart().startsWith("<parameter") ? readTagged(text.trim(), PARAMETER) : undefined;
  if (tagged) return [{ arguments: tagged, repairs: ["tagged-arguments"] }];
  const whole = decodeJson(text.replace(/^\s*<tool_call>/, ""));
  if (whole) return [typed(whole)];
  if (isOversizedObject(text)) return [{ arguments: { type: "oversized", text: text.trim() }, repairs: [] }];
  const pieces = splitObjects(text);
  // A single piece is the complete text again, which was no readable JSON.
  const objects = pieces.length < 2 ? [] : pieces.flatMap((piece) => decodeJson(piece) ?? []);
  if (objects.length === 0 || objects.length < pieces.length)
    return [{ arguments: { type: "unreadable", text }, repairs: [] }];
  // An empty object before the real one is how some servers open a stream; a repeated one is the same call.
  const distinct = objects.filter(({ text: one }, index) => objects.findIndex((other) => other.text === one) === index);
  const filled = distinct.filter((one) => one.node.members.length > 0);
  const kept = filled.length > 0 ? filled : distinct;
  return kept.map((one) => ({ ...typed(one), repairs: ["concatenated-arguments", ...one.repairs] }));
}

function typed(value: ValueText): Value {
  return { arguments: { type: "json", value }, repairs: value.repairs };
}

/** Splits consecutive objects. Empty if other text stands between them, or one is incomplete. */
function splitObjects(text: string): readonly string[] {
  const regions = findBalancedRegions(text, maxPieces + 1);
  const gaps = [...regions, undefined].map((next, at) => text.slice(regions[at - 1]?.end ?? 0, next?.start));
  if (regions.length > maxPieces || gaps.some((gap) => /[^\s,;]/.test(gap))) return [];
  return regions.map(({ start, end }) => text.slice(start, end));
}

/** Calls that one structured call is taken apart into at most. */
const maxPieces = 64;

/** Reads a name that contains the call: JSON, JSON after the name, or tagged parameters. */
function readName(name: string, id: string | undefined): readonly CallCandidate[] | undefined {
  for (const tags of [PARAMETER, PAIR]) {
    const at = name.indexOf(tags.start);
    if (at <= 0) continue;
    const given = readTagged(name.slice(at), tags) ?? { type: "unreadable", text: name };
    return [{ name: takeHead(name), id, arguments: given, repairs: ["call-in-name"] }];
  }
  const paren = name.indexOf("(");
  if (paren > 0 && name.endsWith(")") && name.length - paren > 2) {
    const head = name.slice(0, paren);
    const calls = decodePython(name, { callableNames: [head] });
    return calls?.map((one) => ({ ...one, name: head, id, repairs: ["call-in-name", ...one.repairs] }));
  }
  const brace = name.indexOf("{");
  if (brace > 0) {
    const calls = readCalls(takeHead(name.slice(0, brace)), id, name.slice(brace));
    return calls.map((one) => ({ ...one, repairs: ["call-in-name", ...one.repairs] }));
  }
  const decoded = brace === 0 ? decodeJson(name) : undefined;
  const calls = decoded && readCallObjects(decoded, { isOffered: () => true, allowFlat: false });
  if (!calls || calls.length === 0) return undefined;
  return calls.map((one) => ({ ...one, id: one.id ?? id, repairs: ["call-in-name", ...decoded.repairs] }));
}

/** `assistant to=functions.NAME` is a header; the name is in it. */
function stripRecipient(written: string): string {
  return /(?:^|\s)to=(\S+)/.exec(written.slice(0, headerChars))?.[1] ?? written;
}

const headerChars = 256;

/** Removes `<tool_call>` and `<function=` before the name, and their closers after it. */
function withoutTag(written: string): string {
  const name = written.trim();
  const opened = name.replace(
    /^(?:<(?:tool_call|function_call|invoke|tool)>\s*)?(?:<(?:function|invoke|tool)(?:=|\s+name=)["']?)?/,
    "",
  );
  if (opened === name) return written;
  return opened.includes("<") ? opened.trim() : opened.trim().replace(/["']?>$/, "");
}

/** The name itself: up to the first character that ends one. */
function takeHead(text: string): string {
  return text.replace(/[\s"'>(:<=].*$/s, (rest, at: number) => (at === 0 ? rest : ""));
}

/** Spelling of a parameter: the tags up to its value, and the one after it. */
interface Tags {
  readonly start: string;
  readonly head: RegExp;
  readonly end: string;
  /** Characters around the value that do not belong to it. */
  readonly margin: RegExp;
}

/** `<parameter=KEY>VALUE</parameter>` and `<parameter name="KEY">…` */
const PARAMETER: Tags = {
  start: "<parameter",
  head: /<parameter(?:=|\s+name=)["']?([\w.-]+)["']?>/y,
  end: "</parameter>",
  margin: /^\n|\n$/g,
};

/** `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>` */
const PAIR: Tags = {
  start: "<arg_key>",
  head: /<arg_key>([^<]*)<\/arg_key>\s*<arg_value>/y,
  end: "</arg_value>",
  margin: /^$/,
};

/** Returns undefined if a parameter is not closed, or there are too many. */
function readTagged(text: string, { start, head, end, margin }: Tags): CandidateArguments | undefined {
  const list: Argument[] = [];
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at)) {
    head.lastIndex = at;
    const key = head.exec(text)?.[1]?.trim();
    const from = head.lastIndex;
    at = text.indexOf(end, from);
    if (key === undefined || at < 0 || list.length === maxMendedValues) return undefined;
    list.push({ key, value: text.slice(from, at).replace(margin, ""), form: "raw" });
  }
  return { type: "list", list };
}
