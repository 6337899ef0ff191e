// The redactor: removes secrets from text before it is written anywhere.
import type { Redact } from "../../core/ports.ts";
import { BACKSLASH_CODE, ESCAPE_SIGNS, isEscapeSign, matchSpellings, mayBegin } from "./escapeSequences.ts";
import { compileSecretPatterns, type SecretPattern } from "./secretEncodings.ts";

/**
 * Builds the redactor of the process: `redactKnown`, and any text in the form of a key: bearer tokens and `sk-…`.
 * @param secrets see `redactKnown`.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const known = redactKnown(secrets);
  return (text) => {
    const rest = known(text);
    return MAY_BE_KEY.test(rest) ? rest.replaceAll(BEARER, `$1${REPLACEMENT}`).replaceAll(KEY, REPLACEMENT) : rest;
  };
}

/**
 * Replaces the given values, and texts that begin with their first six characters, in every spelling of `compileSecretPatterns`. Replaced
 * text ends with complete escapes, so JSON text stays JSON text. The time is linear in the text.
 * @param secrets values of the configuration. Those under six characters are dummies ("x") and would remove ordinary text.
 */
export function redactKnown(secrets: readonly string[]): Redact {
  const patterns = [...new Set(secrets)].flatMap(compileSecretPatterns);
  if (patterns.length === 0) return (text) => text;
  const byFirst = Map.groupBy(patterns, ({ codes }) => codes[0] ?? -1);
  const beginnings = new Uint8Array(0x10000);
  for (const code of [...byFirst.keys(), ...ESCAPE_SIGNS]) beginnings[String.fromCodePoint(code).charCodeAt(0)] = 1;
  const pairs = indexPairs(patterns);
  return (text) => redactMatches({ byFirst, beginnings, pairs }, text);
}

const REPLACEMENT = "[redacted]";
/** RFC 6750: the token's alphabet; eight characters, so that prose about "bearer tokens" stays readable. */
const BEARER = /\b(bearer\s+)[A-Za-z0-9\-._~+/]{8,}=*/gi;
const KEY = /\bsk-[A-Za-z0-9_-]{8,}/g;
/** First characters of both patterns. Most texts have neither, so one test suffices. */
const MAY_BE_KEY = /\b(?:bearer\s|sk-)/i;

type Patterns = ReadonlyMap<number, readonly SecretPattern[]>;

/** Patterns by their first character. */
interface Beginnings {
  readonly byFirst: Patterns;
  /** By code unit: 1 if a pattern may begin with it. */
  readonly beginnings: Uint8Array;
  /** By `hashPair` of two code units: 1 if a pattern may begin with them, neither of them escaped. */
  readonly pairs: Uint8Array;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The next character excludes most offsets at which a pattern may begin. */
function indexPairs(patterns: readonly SecretPattern[]): Uint8Array {
  const pairs = new Uint8Array(0x10000);
  for (const { codes, kind } of patterns) {
    const beginning = Array.from(codes.slice(0, 2), (code) => String.fromCodePoint(code)).join("");
    const spelled = kind === "hex" ? [beginning, beginning.charAt(0) + beginning.slice(1).toUpperCase()] : [beginning];
    for (const pair of spelled) pairs[hashPair(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;
  }
  return pairs;
}

/** Two pairs may have the same hash; those of ASCII do not. */
function hashPair(unit: number, next: number): number {
  return ((unit << 8) ^ next) & 0xffff;
}

function canContinue(pairs: Uint8Array, text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return pairs[hashPair(unit, next)] === 1 || isEscapeSign(unit) || isEscapeSign(next) || next === PLUS;
}

function redactMatches({ byFirst, beginnings, pairs }: Beginnings, text: string): string {
  let redacted = "";
  let copiedEnd = 0;
  let at = 0;
  for (;;) {
    while (at < text.length && beginnings[text.charCodeAt(at)] === 0) at += 1;
    if (at >= text.length) break;
    const begins = canContinue(pairs, text, at) && mayBegin(beginnings, text, at);
    const span = begins ? matchLongest(byFirst, text, at) : undefined;
    if (span) {
      redacted += `${text.slice(copiedEnd, Math.max(copiedEnd, span.from))}${REPLACEMENT}`;
      copiedEnd = span.to;
      at = span.to;
    } else at = afterUnit(text, at);
  }
  return copiedEnd === 0 ? text : redacted + text.slice(copiedEnd);
}

/** A run of backslashes is one beginning; looked at from each of its own it would cost its square. */
function afterUnit(text: string, at: number): number {
  let end = at + 1;
  if (text.charCodeAt(at) === BACKSLASH_CODE) while (text.charCodeAt(end) === BACKSLASH_CODE) end += 1;
  return end;
}

function matchLongest(patterns: Patterns, text: string, at: number): Span | undefined {
  const code = text.codePointAt(at) ?? -1;
  let longest = matchLongestPattern(patterns.get(code), text, at);
  if (!isEscapeSign(code)) return longest;
  for (const { code: spelled } of matchSpellings(text, at)) {
    const found = matchLongestPattern(patterns.get(spelled), text, at);
    if (found && (!longest || found.to > longest.to)) longest = found;
  }
  return longest;
}

function matchLongestPattern(
  patterns: readonly SecretPattern[] | undefined,
  text: string,
  at: number,
): Span | undefined {
  let longest: Span | undefined;
  for (const pattern of patterns ?? []) {
    const found = matchPattern(pattern, text, at);
    if (found && (!longest || found.to > longest.to)) longest = found;
  }
  return longest;
}

function matchPattern(pattern: SecretPattern, text: string, at: number): Span | undefined {
  const { codes, least } = pattern;
  let to = at;
  let matched = 0;
  while (matched < codes.length) {
    const end = after(pattern, text, to, codes[matched]);
    if (end === undefined) break;
    to = end;
    matched += 1;
  }
  if (matched < least) return undefined;
  if (pattern.kind === "word" && (isLetter(text, at - 1) || isLetter(text, to))) return undefined;
  if (pattern.kind !== "base64") return { from: at, to };
  // The characters at both ends contain bits of the secret too.
  const padded = /^[\w+/-]?={0,2}/.exec(text.slice(to, to + 3))?.[0].length ?? 0;
  return { from: /[\w+/-]/.test(text[at - 1] ?? "") ? at - 1 : at, to: to + padded };
}

/** Returns the offset after `expected` if it stands at `at` in any spelling. */
function after({ kind }: SecretPattern, text: string, at: number, expected: number | undefined): number | undefined {
  const code = text.codePointAt(at);
  if (code === undefined) return undefined;
  if (kind !== "exact" && isEscapeSign(code)) {
    let end = 0;
    for (const spelled of matchSpellings(text, at))
      if (spelled.code === expected && spelled.end > end) end = spelled.end;
    if (end > 0) return end;
  }
  const same = kind === "hex" ? lowerHex(code) === expected : code === expected;
  if (same) return at + (code > 0xffff ? 2 : 1);
  return code === PLUS && expected === SPACE ? at + 1 : undefined;
}

const PLUS = 0x2b;
const SPACE = 0x20;

function lowerHex(code: number): number {
  return code >= 0x41 && code <= 0x46 ? code + 0x20 : code;
}

function isLetter(text: string, at: number): boolean {
  return /\p{L}/u.test(text[at] ?? "");
}
