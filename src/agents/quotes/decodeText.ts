// Decodes the escapes that a service applied to a text, in slices: JSON, HTML, URLs, mail, CSV and Markdown.
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";

/** One kind of escape: its pattern, and the characters that it encodes. */
interface Escape {
  /** A string that occurs in every text with such an escape. */
  readonly sign: string;
  /** Its group is the body of the escape. */
  readonly pattern: RegExp;
  /** Undefined if the body is unknown. */
  readonly decode: (body: string) => string | undefined;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const JSON_ESCAPE: Escape = {
  sign: "\\",
  pattern: /\\(u[\da-fA-F]{4}|["\\/bfnrt])/g,
  decode: (body) =>
    body.length > 1 ? String.fromCharCode(Number.parseInt(body.slice(1), 16)) : (SHORT_ESCAPES[body] ?? body),
};

/** Names of ASCII characters and of spaces; calls contain no others. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " ", Tab: "\t", NewLine: "\n", excl: "!", num: "#" },
  ...{ dollar: "$", percnt: "%", lpar: "(", rpar: ")", ast: "*", plus: "+", comma: ",", period: ".", sol: "/" },
  ...{ colon: ":", semi: ";", equals: "=", quest: "?", commat: "@", lbrack: "[", lsqb: "[", bsol: "\\", rbrack: "]" },
  ...{ rsqb: "]", Hat: "^", lowbar: "_", UnderBar: "_", grave: "`", lbrace: "{", lcub: "{", vert: "|", verbar: "|" },
  ...{ VerticalLine: "|", rbrace: "}", rcub: "}", LT: "<", GT: ">", AMP: "&", QUOT: '"', ensp: " ", emsp: " " },
};

const HTML_REFERENCE: Escape = {
  sign: "&",
  pattern: /&(#[xX][\da-fA-F]{1,6}|#\d{1,7}|[A-Za-z]{2,12});/g,
  decode: (body) => (body.startsWith("#") ? numbered(body) : NAMED[body]),
};

function numbered(body: string): string | undefined {
  const code = /^#x/i.test(body) ? Number.parseInt(body.slice(2), 16) : Number.parseInt(body.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** Consecutive bytes of UTF-8, each written as a sign and two digits. */
function decodeBytes(body: string): string {
  return Buffer.from(body.replaceAll(/[^\da-fA-F]/g, ""), "hex").toString();
}

const PERCENT: Escape = {
  sign: "%",
  pattern: /((?:%[\da-fA-F]{2}){1,1000}|\+)/g,
  decode: (body) => (body === "+" ? " " : decodeBytes(body)),
};

const QUOTED_PRINTABLE: Escape = {
  sign: "=",
  pattern: /((?:=[\dA-Fa-f]{2}|=\r?\n){1,1000})/g,
  decode: decodeBytes,
};

const CSV_QUOTE: Escape = { sign: '""', pattern: /(")"/g, decode: (body) => body };

const MARKDOWN: Escape = { sign: "\\", pattern: /\\([!-/:-@[-`{-~])/g, decode: (body) => body };

/** Prefix of each line in a quoted mail, a diff, a comment, a list, or a text with line numbers. */
const LINE_START: Escape = {
  sign: "\n",
  pattern: /(\n)[ \t]*(?:>[> \t]*|[+*|#-]|\/\/|\d{1,7}[:.|\t→])/g,
  decode: (body) => body,
};

const ESCAPES: readonly Escape[] = [
  JSON_ESCAPE,
  HTML_REFERENCE,
  PERCENT,
  QUOTED_PRINTABLE,
  CSV_QUOTE,
  MARKDOWN,
  LINE_START,
];
/** Escapes below a first layer: services return JSON, and feeds and attributes contain HTML. */
const SECOND_LAYERS: ReadonlyMap<Escape, readonly Escape[]> = new Map([
  [JSON_ESCAPE, ESCAPES],
  [HTML_REFERENCE, [JSON_ESCAPE, HTML_REFERENCE]],
]);

/** Characters that are processed in one slice, and maximum length of one escape. */
const SLICE = 131_072;
const LONGEST = 4_096;

/** The text itself first, then each text that results from decoding one or two layers of escapes. */
export function* collectDecodedForms(text: string): Generator<typeof YIELD, ReadonlySet<string>> {
  const forms = new Set([text]);
  for (const outer of ESCAPES) {
    const form = yield* decodeText(text, outer);
    if (form === text) continue;
    forms.add(form);
    for (const inner of SECOND_LAYERS.get(outer) ?? []) forms.add(yield* decodeText(form, inner));
  }
  return forms;
}

function* decodeText(text: string, { sign, pattern, decode }: Escape): Generator<typeof YIELD, string> {
  if (!text.includes(sign)) return text;
  const pace = new YieldBudget(SLICE);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const slice = text.slice(start, start + SLICE);
    // An escape that begins near the end of a slice is left for the next slice, which contains all of it.
    const decodeEnd = start + SLICE < text.length ? SLICE - LONGEST : slice.length;
    const parts: string[] = [];
    let copiedEnd = 0;
    for (const found of slice.matchAll(pattern)) {
      if (found.index >= decodeEnd) break;
      parts.push(slice.slice(copiedEnd, found.index), decode(found[1] ?? "") ?? found[0]);
      copiedEnd = found.index + found[0].length;
    }
    const end = Math.max(copiedEnd, decodeEnd);
    pieces.push(parts.join(""), slice.slice(copiedEnd, end));
    start += end;
    if (pace.isDue(end)) yield YIELD;
  }
  return pieces.join("");
}
