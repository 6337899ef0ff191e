// Decodes the escapes of a text once, in slices: JSON string escapes and HTML character references. Judges no text.
import { TURN } from "../../core/loopTurn.ts";
import { Pace } from "../../core/Pace.ts";

/** One kind of escape: where it stands, and the characters that it stands for. */
interface Escape {
  /** Every text that holds such an escape holds this character. */
  readonly sign: string;
  readonly pattern: RegExp;
  /** `body` is the escape without its sign; undefined where it stands for nothing that is known. */
  readonly decode: (body: string) => string | undefined;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const JSON_ESCAPE: Escape = {
  sign: "\\",
  pattern: /\\(u[\da-fA-F]{4}|["\\/bfnrt])/g,
  decode: (body) =>
    body.length > 1 ? String.fromCharCode(Number.parseInt(body.slice(1), 16)) : (SHORT_ESCAPES[body] ?? body),
};

/** The names of ASCII characters and of spaces: calls are written with no others. */
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

/** Characters, and escapes as so many of them, that are looked at in one go. */
const SLICE = 262_144;
const ESCAPE_COST = 64;

/** The text itself first, then each other text that it comes to where one or two layers of escapes are taken off. */
export function* decodedForms(text: string): Generator<typeof TURN, ReadonlySet<string>> {
  const json = yield* decodeText(text, JSON_ESCAPE);
  const html = yield* decodeText(text, HTML_REFERENCE);
  const forms = new Set([text, json, html]);
  if (json !== text) {
    forms.add(yield* decodeText(json, JSON_ESCAPE));
    forms.add(yield* decodeText(json, HTML_REFERENCE));
  }
  if (html !== text) forms.add(yield* decodeText(html, JSON_ESCAPE));
  return forms;
}

function* decodeText(text: string, { sign, pattern, decode }: Escape): Generator<typeof TURN, string> {
  if (!text.includes(sign)) return text;
  const pace = new Pace(SLICE);
  const pieces: string[] = [];
  let parts: string[] = [];
  let kept = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { lastIndex } = pattern;
    parts.push(text.slice(kept, found.index), decode(found[1] ?? "") ?? found[0]);
    if (pace.due(lastIndex - kept + ESCAPE_COST)) {
      pieces.push(parts.join(""));
      parts = [];
      yield TURN;
    }
    kept = lastIndex;
    // Another decoding may have used the pattern meanwhile.
    pattern.lastIndex = lastIndex;
  }
  return [...pieces, ...parts, text.slice(kept)].join("");
}
