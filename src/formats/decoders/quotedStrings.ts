// Reads the characters of a quoted string in the dialect of JSON or Python: its end, its escapes, and unescaped quotes inside it.
// The caller gives the opening and the possible closing quotes.
import { BACKSLASH, CLOSE_BRACE, OPEN_BRACE } from "../scanner/charCodes.ts";
import { isBlank as isWhiteSpace } from "../scanner/whitespace.ts";

export interface StringRead {
  /** The characters that the string means, escapes resolved. */
  readonly value: string;
  readonly end: number;
  readonly repairs: readonly string[];
  /** Quotes inside it that come in pairs. */
  readonly paired: number;
}

/** Opening of a string. */
export interface QuoteOpening {
  /** Offset after its quotes. */
  readonly start: number;
  /** Each of these one or two characters may close it. */
  readonly closingQuotes: string;
  /** Three quotes have opened it, and three close it. */
  readonly isTriple: boolean;
  /** A backslash is no escape. */
  readonly isRaw?: boolean;
  /** True if it may contain no braces, whose content would have to be computed. */
  readonly isFormat?: boolean;
}

export interface StringDialect {
  readonly escapes: ReadonlyMap<string, string>;
  /** Letters after a backslash, and the number of hexadecimal digits after them. */
  readonly digits: Readonly<Record<string, number>>;
  /** `\101` and `\N{…}`, of which the second is refused. */
  readonly hasOctals: boolean;
  /** Characters that Markdown and other languages escape with a backslash, and the repair of it. */
  readonly needlessEscapes: readonly [marks: string, repair: string];
  /** The repair of an escape that the dialect does not have. */
  readonly oddEscape: string | undefined;
  /** The repair of a character that should have been escaped; undefined for all others. */
  readonly detectRepair: (char: string, opening: QuoteOpening) => string | undefined;
  /** Returns true if the quote at an offset, which closes nothing, is one of a pair; undefined if unsure. `isSecond`: a quote waits for its partner. */
  readonly isPaired: (text: string, at: number, isSecond: boolean, isFirst: boolean) => boolean | undefined;
  /** The repair of any quote that closes nothing. */
  readonly innerQuote: string | undefined;
}

/**
 * `closesAt(after)` decides if a quote that ends before `after` closes the string. Returns undefined if none does, if inner quotes are no
 * pairs, and if an escape or a field would have to be computed.
 */
export function readQuoted(
  text: string,
  opening: QuoteOpening,
  dialect: StringDialect,
  isClosedAt: (after: number) => boolean,
): StringRead | undefined {
  const { start, closingQuotes, isTriple, isRaw, isFormat } = opening;
  const repairs = new Set<string>();
  const marker = closingQuotes.repeat(isTriple ? 3 : 1);
  let value = "";
  let from = start;
  let pairedEnd = 0;
  for (let at = start; at < text.length; ) {
    at = findPlainEnd(text, at, closingQuotes, isFormat === true);
    const char = text.charAt(at);
    let repair: string | undefined;
    if (isTriple ? text.startsWith(marker, at) : char !== "" && closingQuotes.includes(char)) {
      if (isTriple || isClosedAt(at + 1)) {
        if (pairedEnd % 2 === 1) return undefined;
        const end = at + (isTriple ? 3 : 1);
        return { value: value + text.slice(from, at), end, repairs: [...repairs], paired: pairedEnd };
      }
      const isPaired = dialect.isPaired(text, at, pairedEnd % 2 === 1, at === start);
      if (isPaired === undefined) return undefined;
      if (isPaired) pairedEnd++;
      repair = dialect.innerQuote;
      at++;
    } else if (char === "\\" && !isRaw) {
      const escaped = readEscape(text, at, dialect);
      if (!escaped) return undefined;
      value += text.slice(from, at) + escaped.value;
      repair = escaped.repair;
      at = escaped.end;
      from = at;
    } else if (isFormat && (char === "{" || char === "}")) return undefined;
    else {
      repair = dialect.detectRepair(char, opening);
      at += char === "\\" ? 2 : 1;
    }
    if (repair !== undefined) repairs.add(repair);
  }
  return undefined;
}

/** Returns the end of the characters that need no decoding. */
function findPlainEnd(text: string, start: number, closers: string, isFormat: boolean): number {
  const first = closers.charCodeAt(0);
  const second = closers.charCodeAt(1);
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === BACKSLASH || code === first || code === second) break;
    if (isFormat && (code === OPEN_BRACE || code === CLOSE_BRACE)) break;
  }
  return at;
}

function readEscape(
  text: string,
  at: number,
  { escapes, digits, hasOctals, needlessEscapes: [markers, repair], oddEscape }: StringDialect,
): { readonly value: string; readonly end: number; readonly repair?: string | undefined } | undefined {
  const char = text.charAt(at + 1);
  const simple = escapes.get(char);
  if (simple !== undefined) return { value: simple, end: at + 2 };
  if (char !== "" && markers.includes(char)) return { value: char, end: at + 2, repair };
  if (hasOctals && char === "N" && text[at + 2] === "{") return undefined;
  const octal = hasOctals ? /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0] : undefined;
  if (octal) return { value: String.fromCharCode(Number.parseInt(octal, 8)), end: at + 1 + octal.length };
  const width = digits[char] ?? 0;
  const hex = text.slice(at + 2, at + 2 + width);
  const code = width > 0 && hex.length === width && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Infinity;
  if (code > 0x10ffff) return { value: "\\", end: at + 1, repair: oddEscape };
  return { value: String.fromCodePoint(code), end: at + 2 + width, ...(char === "x" && { repair: oddEscape }) };
}

const JSON_ESCAPES = [
  ['"', '"'],
  ["\\", "\\"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
] as const;

/** JSON as models write it. */
export const looseJson: StringDialect = {
  escapes: new Map([...JSON_ESCAPES, ["/", "/"]]),
  digits: { u: 4, x: 2 },
  hasOctals: false,
  needlessEscapes: ["_*'$`“”‘’", "escape"],
  oddEscape: "escape",
  detectRepair: (char) => (char !== "" && char < " " ? "control-character" : undefined),
  // An apostrophe between letters is no quotation mark. The first of a pair follows a blank or a bracket and precedes text.
  isPaired: (text, at, isSecond, isFirst) => {
    const after = text.charAt(at + 1);
    if (/['’]/.test(text.charAt(at)) && WORD.test(text.charAt(at - 1)) && /\p{L}/u.test(after)) return false;
    const isOpening = (isFirst || /[\s([{=,:;<>/\-\u2014]/.test(text.charAt(at - 1))) && !isBlankCharacter(after);
    return isSecond || isOpening || undefined;
  },
  innerQuote: undefined,
};

export const python: StringDialect = {
  escapes: new Map([...JSON_ESCAPES, ["v", "\v"], ["a", "\u0007"], ["'", "'"], ["\n", ""]]),
  digits: { x: 2, u: 4, U: 8 },
  hasOctals: true,
  needlessEscapes: ["_", "markdown-escape"],
  oddEscape: undefined,
  detectRepair: (char, { isTriple }) => (char === "\n" && !isTriple ? "raw-newline" : undefined),
  isPaired: (text, at) => !WORD.test(text.charAt(at - 1)) || !WORD.test(text.charAt(at + 1)),
  innerQuote: "unescaped-quote",
};

const WORD = /[\p{L}\p{N}]/u;

/** Returns true for white space, control characters and the zero-width space, which have no meaning between tokens. */
export function isBlankCharacter(char: string): boolean {
  return char !== "" && (char <= " " || char === "\u200b" || isWhiteSpace(char.charCodeAt(0)));
}
