// Tokenizes SQL text as one dialect would read it.
import type { SqlDialect } from "./dialects.ts";

/**
 * Words are in upper case. A quoted name is no word and keeps its spelling within the quotes. A string has its content, as
 * far as plain quotes delimit it.
 */
export interface SqlToken {
  readonly type: "word" | "name" | "string" | "number" | "variable" | "sign";
  readonly text: string;
}

/** All tokens without comments. Any text is accepted, in linear time: an unterminated token ends with the text. */
export function tokenizeSql(text: string, dialect: SqlDialect): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = blankEnd(text, at, dialect);
    if (blank !== undefined) {
      at = blank;
      continue;
    }
    const quoted = readQuoted(text, at, dialect);
    if (quoted) {
      tokens.push(quoted.token);
      at = quoted.end;
      continue;
    }
    const token = plainToken(text, at, dialect);
    tokens.push(token.type === "word" ? { type: "word", text: token.text.toUpperCase() } : token);
    at += token.text.length;
  }
  return tokens;
}

/** All characters that some database treats as white space. */
const WIDE_SPACE = /[\s\p{Cc}\p{Cf}\p{Z}]+/uy;
const ASCII_SPACE = /[\0-\x20\x7f]+/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
/** A parameter that the client of the database fills in. */
const VARIABLE = /\$\d+|[@:]{1,2}[A-Za-z_]\w*|\?\d*|%s|%\(\w+\)s|\{\{?\s*\w+\s*\}?\}/y;
/** A word may contain any letter beyond ASCII; in one of the readings spaces beyond ASCII are letters too. */
const WIDE_WORD = /(?:[\w$]|[^\0-\x7f\p{Z}\p{Cc}\p{Cf}])+/uy;
const ANY_WORD = /[\w$\x80-\uffff]+/y;
const SIGN = /<=>|<>|!=|<=|>=|==|\|\||&&|::|->>|->|:=|[\s\S]/y;

const PLAIN: readonly { readonly type: SqlToken["type"]; readonly pattern?: RegExp; readonly begins: RegExp }[] = [
  { type: "word", begins: /[A-Za-z_\x80-\uffff]/ },
  { type: "number", pattern: NUMBER, begins: /[\d.]/ },
  // `a::text` is a cast.
  { type: "sign", pattern: /::/y, begins: /:/ },
  { type: "variable", pattern: VARIABLE, begins: /[$@:?%{]/ },
  { type: "word", begins: /\$/ },
];

function plainToken(text: string, at: number, dialect: SqlDialect): SqlToken {
  const first = text.charAt(at);
  if (/[\s,;()=]/.test(first)) return { type: "sign", text: matchPattern(SIGN, text, at) };
  for (const { type, pattern = dialect.unicodeSpaces ? WIDE_WORD : ANY_WORD, begins } of PLAIN) {
    const found = begins.test(first) ? matchPattern(pattern, text, at) : "";
    if (found !== "") return { type, text: found };
  }
  return { type: "sign", text: matchPattern(SIGN, text, at) };
}

function matchPattern(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : "";
}

/** Offset after the white space or comment that starts here; undefined if none does. */
function blankEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  const space = matchPattern(dialect.unicodeSpaces ? WIDE_SPACE : ASCII_SPACE, text, at).length;
  if (space > 0) return at + space;
  // The end of a comment that runs.
  if (dialect.runsComments && text.startsWith("*/", at)) return at + 2;
  return commentEnd(text, at, dialect);
}

const LINE_ENDS = { lf: /\n/g, cr: /[\n\r]/g, any: /[\n\r\v\f\x85\u2028\u2029]/g };

/** Offset after the comment that starts here; undefined if none does. */
function commentEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  if (text.startsWith("/*", at)) return blockEnd(text, at, dialect);
  const dashes = text.startsWith("--", at) && (!dialect.spacedDashes || /^[\0-\x20]?$/.test(text.charAt(at + 2)));
  const slashes = dialect.slashComments && text.startsWith("//", at);
  if (!dashes && !slashes && !(dialect.hashComments && text[at] === "#")) return undefined;
  const end = LINE_ENDS[dialect.lineEnds];
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}

function blockEnd(text: string, at: number, dialect: SqlDialect): number {
  if (dialect.runsComments) {
    const opening = matchPattern(/\/\*M?!\d*/iy, text, at).length;
    if (opening > 0) return at + opening;
  }
  const mark = dialect.nestedComments ? /\/\*|\*\//g : /\*\//g;
  mark.lastIndex = at + 2;
  let depth = 1;
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

interface Quoted {
  readonly token: SqlToken;
  /** Offset of the character after it. */
  readonly end: number;
}

/** The string or quoted name that starts here; undefined if none does. */
function readQuoted(text: string, at: number, dialect: SqlDialect): Quoted | undefined {
  const marked = readMarked(text, at, dialect);
  if (marked) return marked;
  const end = quotedEnd(text, at, dialect);
  return end === undefined ? undefined : { token: quotedToken(text, at, end, dialect), end };
}

const CLOSINGS: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}", "<": ">" };

/** Literals with a prefix or special quotes: `U&"…"`, `q'[…]'`, `'''…'''`. */
function readMarked(text: string, at: number, dialect: SqlDialect): Quoted | undefined {
  const first = text.charAt(at);
  if (/[Uu]/.test(first) && /^&["']/.test(text.slice(at + 1, at + 3)) && !isWithinWord(text, at)) {
    const end = closedBy(text, at + 3, text.charAt(at + 2), dialect.backslashes === "all");
    const { type, text: inside } = quotedToken(text, at + 2, end, dialect);
    return { token: { type, text: decodeEscapes(inside) }, end };
  }
  const delimited =
    dialect.delimitedQuotes && !isWithinWord(text, at) ? matchPattern(/[Nn]?[Qq]'[\s\S]/y, text, at) : "";
  if (delimited !== "") {
    const opening = delimited.at(-1) ?? "";
    return findClosed(text, at + delimited.length, `${CLOSINGS[opening] ?? opening}'`);
  }
  const mark = text.slice(at, at + 3);
  if (!dialect.tripleQuotes || (mark !== "'''" && mark !== '"""')) return undefined;
  const close = mark === "'''" ? /\\[\s\S]|'''/g : /\\[\s\S]|"""/g;
  close.lastIndex = at + 3;
  for (let found = close.exec(text); found; found = close.exec(text))
    if (found[0] === mark)
      return { token: { type: "string", text: text.slice(at + 3, found.index) }, end: close.lastIndex };
  return { token: { type: "string", text: text.slice(at + 3) }, end: text.length };
}

function findClosed(text: string, from: number, mark: string): Quoted {
  const close = text.indexOf(mark, from);
  const inside = close < 0 ? text.slice(from) : text.slice(from, close);
  return { token: { type: "string", text: inside }, end: close < 0 ? text.length : close + mark.length };
}

/** Returns true if the character before belongs to the same word. */
function isWithinWord(text: string, at: number): boolean {
  return /[\w$\x80-\uffff]/.test(text.charAt(at - 1));
}

/** `\0064` and `\+000064`, as `U&` has them. */
function decodeEscapes(text: string): string {
  return text.replace(/\\(?:\+([\da-f]{6})|([\da-f]{4}))/gi, (whole, long?: string, short?: string) => {
    const code = Number.parseInt(long ?? short ?? "", 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Offset after the string or quoted name that starts here; undefined if none does. */
function quotedEnd(text: string, at: number, dialect: SqlDialect): number | undefined {
  const quote = text.charAt(at);
  if (quote === "$" && dialect.dollarQuotes) return dollarEnd(text, at);
  if (quote === "[" && dialect.brackets) return closedBy(text, at + 1, "]", false);
  if (quote !== "'" && quote !== '"' && quote !== "`") return undefined;
  const escapes = dialect.backslashes === "all" ? quote !== "`" : quote === "'" && isMarked(text, at);
  return closedBy(text, at + 1, quote, escapes);
}

/** Returns true if an E, as a word of its own, precedes the quote. */
function isMarked(text: string, at: number): boolean {
  return /[Ee]/.test(text.charAt(at - 1)) && !/[\w$\x80-\uffff]/.test(text.charAt(at - 2));
}

/** Two closing quotes are one quote inside. */
function closedBy(text: string, from: number, close: string, escapes: boolean): number {
  for (let at = from; at < text.length; at++) {
    if (escapes && text[at] === "\\") at++;
    else if (text[at] === close) {
      if (text[at + 1] !== close) return at + 1;
      at++;
    }
  }
  return text.length;
}

function dollarEnd(text: string, at: number): number | undefined {
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]{0,63})?\$/uy;
  tag.lastIndex = at;
  const mark = tag.exec(text)?.[0];
  // A `$` within a word is one of its letters.
  if (mark === undefined || /[\w\u0080-\uffff]/.test(text[at - 1] ?? "")) return undefined;
  const close = text.indexOf(mark, at + mark.length);
  return close < 0 ? text.length : close + mark.length;
}

function quotedToken(text: string, at: number, end: number, dialect: SqlDialect): SqlToken {
  const quote = text.charAt(at);
  const opening = quote === "$" ? text.indexOf("$", at + 1) - at + 1 : 1;
  const inside = text.slice(at + opening, Math.max(end - opening, at + opening));
  if (quote === "'" || quote === "$" || (quote === '"' && dialect.doubleQuotedStrings))
    return { type: "string", text: inside.replaceAll("''", "'") };
  return { type: "name", text: inside };
}
