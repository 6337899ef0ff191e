// The text of an action's input as a call's arguments: JSON, elements, pairs, or words. Finds no end.
import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { decodeElements } from "../../bodies/decodeElements.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";

/** An input that says nothing. */
export const NO_INPUT = /^(?:none|null|n\/a|\{\}|"")?$/i;

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly form: "raw" | "json";
}

/**
 * The candidate that an input makes of the tool called `name`, whose parameters are `known`. Words that are neither JSON nor pairs
 * are the text of the only fitting parameter.
 */
export function decodeActionInput(name: string, input: string, known: readonly string[]): CallCandidate {
  const text = stripDress(stripFence(input.trim()));
  if (NO_INPUT.test(text)) return { name, arguments: { type: "list", list: [] }, repairs: [] };
  if (text.startsWith("{") || text.startsWith("[")) {
    const json = decodeJson(text);
    if (json) return { name, arguments: { type: "json", value: json }, repairs: json.repairs };
  }
  const list = readElements(text, known) ?? readPairs(text, known);
  if (list) return { name, arguments: { type: "list", list }, repairs: [] };
  return { name, arguments: { type: "text", text: unquote(text) }, repairs: [] };
}

/** `<port>Brest</port>…`; only where every element is a parameter. */
function readElements(text: string, known: readonly string[]): readonly Pair[] | undefined {
  const members = text.startsWith("<") ? decodeElements(text) : undefined;
  if (!members || members.length === 0 || !members.every(([key]) => known.includes(key))) return undefined;
  return members.map(([key, json]) =>
    json.startsWith('"') ? { key, value: String(JSON.parse(json)), form: "raw" } : { key, value: json, form: "json" },
  );
}

/** `port=Brest, day=3` or one pair a line; only where every key is a parameter. */
function readPairs(text: string, known: readonly string[]): readonly Pair[] | undefined {
  const pieces = text.includes("\n") ? text.split("\n") : splitPairs(text, known);
  const pairs: Pair[] = [];
  for (const piece of pieces) {
    const trimmed = piece.trim();
    if (trimmed === "") continue;
    const at = trimmed.search(/[=:：]/);
    const key = at < 0 ? "" : unquote(withoutBullet(trimmed.slice(0, at).trim()));
    if (!known.includes(key)) return undefined;
    pairs.push({ key, value: unquote(trimmed.slice(at + 1).trim()), form: "raw" });
  }
  return pairs.length > 0 ? pairs : undefined;
}

/** Splits at commas that a known key follows. */
function splitPairs(text: string, known: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (const part of text.split(",")) {
    const key = part.split(/[=:：]/)[0]?.trim() ?? "";
    if (pieces.length === 0 || known.includes(key)) pieces.push(part);
    else pieces.push(`${pieces.pop()},${part}`);
  }
  return pieces;
}

function withoutBullet(text: string): string {
  return text.replace(/^[-*] /, "");
}

function unquote(text: string): string {
  const first = text.charAt(0);
  const quoted = text.length > 1 && (first === '"' || first === "'") && text.endsWith(first);
  return quoted ? text.slice(1, -1) : text;
}

/** `**words**`, `` `words` ``: marks around the whole input, and the end of a bold label. */
function stripDress(text: string): string {
  for (const mark of ["**", "`"]) {
    const inner = text.startsWith(mark) && text.endsWith(mark) && text.length > 2 * mark.length;
    if (inner && text.split(mark).length === 3) return stripDress(text.slice(mark.length, -mark.length).trim());
  }
  return text.endsWith("**") && text.split("**").length === 2 ? text.slice(0, -2).trim() : text;
}

function stripFence(text: string): string {
  if (!text.startsWith("```")) return text;
  const body = text.slice(3).replace(/^[a-zA-Z]*\s*/, "");
  return body.endsWith("```") ? body.slice(0, -3).trim() : body;
}
