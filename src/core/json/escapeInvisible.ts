// Escapes invisible and look-alike characters in texts for an approver.
import type { Plan } from "../runs/interrupts.ts";

/** Scripts without spaces between words: a Latin word ends where they begin. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
/** Indic scripts whose letters are shaped by joiners. */
const JOINING = String.raw`\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}`;

/** Viramas of those scripts. */
const VIRAMA = String.raw`\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA`;

/** Complete emoji, and joiners between letters of a script that needs them, including vowel signs; after a virama one may end the word. */
const LEGIBLE = String.raw`(?=[\p{Emoji}--[0-9#*]]|[0-9#*]\uFE0F)\p{RGI_Emoji}|(?<=[\p{sc=Arab}\p{sc=Syrc}]|[\p{M}&&\p{scx=Arab}])\u200C(?=[\p{sc=Arab}\p{sc=Syrc}])|(?<=[${JOINING}])[\u200C\u200D](?=[${JOINING}])|(?<=[${VIRAMA}])[\u200C\u200D]`;

/** Control characters, invisible and bidirectional characters, letters without a glyph, and spaces other than U+0020. */
const UNSEEN = String.raw`(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}`;

/** Look-alikes of ASCII punctuation, from the confusables of Unicode UTS 39: dashes, quotes, stops, slashes, brackets, operators. */
const PUNCTUATION = [
  String.raw`\u2010-\u2013\u2212\u2043\u02D7\u2796\u2CBA\uFE58\uFE63\uFF0D`,
  String.raw`\u2018-\u201F\u2032-\u2037\u00B4\u02B9-\u02BF\u02C8\u02CA\u02CB\u02F4\u0384\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE\uA78B\uA78C\uFF02\uFF07\uFF40`,
  String.raw`\u00B8\u060D\u066B\u2024\u2025\uA4F8\uA4F9\uA60E\uFE50\uFE52\uFF0E\uFF61\u037E\uFE54\u02D0\u02F8\u16EC\u205A\u2236\uA4FD\uA789\uFE13\uFE30\uFE55`,
  String.raw`\u01C0-\u01C3\u2223\u23D0\u2758\uFF5C\uFFE8\u05C0\u2D51\uFE57\uFE56`,
  String.raw`\u1735\u2041\u2044\u2215\u2571\u27CB\u29F8\u31D3\u3033\u2CC6\u4E3F\u2F03\uFF0F\u2216\u27CD\u29F5\u29F9\u31D4\u2F02\uFE68\uFF3C`,
  String.raw`\u2768\u2769\u2772-\u2775\u3014\u3015\uFD3E\uFD3F\uFE59-\uFE5E\uFF3B\uFF3D\uFF5B\uFF5D\u2039\u203A\u276E\u276F\u02C2\u02C3\u1438\u1433\uFE64\uFE65\uFF1C\uFF1E`,
  String.raw`\u1400\u2E40\u30A0\uA4FF\uA78A\uFE66\uFF1D\u16ED\u2795\uFE62\uFF0B\u066D\u204E\u2217\uFE61\uFF0A\u02C4\u02C6\uFF3E\u02CD\uFE4D-\uFE4F\uFF3F\u07FA`,
  String.raw`\u02DC\u1FC0\u2053\u223C\uFF5E\u066A\u2052\uFE6A\uFF05\uFE5F\uFF03\uFE60\uFF06\uA778\uFE69\uFF04\uFE6B\uFF20`,
].join("");

/** Full-width punctuation inside Chinese, Japanese or Korean text, and stops after letters of their own script, are not misleading. */
const FOREIGN_PUNCTUATION = String.raw`(?<![\u3000-\u303F\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F${UNSPACED}])[\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F]|(?<![\p{sc=Armn}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}])[\u0589\u055A\u055D\u05C3\u05F3\u05F4\u06D4\u0701-\u0704]`;

/** Marks that change the look of a character: lines through it, and any mark on a non-letter. */
const DRAWN_OVER = String.raw`[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E5\u20E6\u20EA\u20EB]|(?<![\p{L}\p{M}\u25CC])\p{M}`;

/** A letter of an unspaced script between two Latin letters. */
const ALONE_IN_LATIN = String.raw`(?<=\p{sc=Latin})[${UNSPACED}](?=\p{sc=Latin})`;

const LEGIBLE_OR_UNSEEN = new RegExp(`(${LEGIBLE})|(?:${UNSEEN})`, "gv");
const LEGIBLE_OR_MISLEADING = new RegExp(
  `(${LEGIBLE})|(?:${UNSEEN})|[${PUNCTUATION}]|${FOREIGN_PUNCTUATION}|${DRAWN_OVER}|${ALONE_IN_LATIN}`,
  "gv",
);
/** Nobody reads a longer text by eye, so all its non-ASCII characters are escaped, which takes a tenth of the time. */
const MOST_CHARS = 16_384;
const BEYOND_ASCII = /[^\x20-\x7e\n\t]+/gu;
/** Most texts match this and need no escapes. */
const PLAIN = /^[\x20-\x7e\n\t]*$/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{sc=Latin}/u;
const FOREIGN_LETTER = new RegExp(
  String.raw`[[\p{L}\p{M}\p{N}]--[\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}${UNSPACED}]]`,
  "gv",
);

/** Escapes invisible characters, as in `\u{202e}`. */
export function escapeInvisible(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(LEGIBLE_OR_UNSEEN, legibleOr(codePoint));
}

/** Like `escapeInvisible`; also escapes look-alikes of ASCII punctuation, and letters of another script inside a Latin word. */
export function escapeMisleading(text: string): string {
  return writtenOut(text, codePoint);
}

/** The same for a JSON text, with JSON escapes as in `\u202e`: its value is unchanged. */
export function escapeMisleadingInJson(json: string): string {
  return writtenOut(json, jsonEscape);
}

/** The arguments of a plan for an approver: a JSON text of the same value. */
export function escapeArguments({ arguments: json }: Pick<Plan, "arguments">): string {
  return escapeMisleadingInJson(json);
}

/** Escapes one character, or a sequence of them. */
type WriteOut = (signs: string) => string;

function writtenOut(text: string, writeOut: WriteOut): string {
  if (PLAIN.test(text)) return text;
  if (text.length > MOST_CHARS) return text.replaceAll(BEYOND_ASCII, writeOut);
  const inLatin = text.replaceAll(WORD, (word) =>
    LATIN.test(word) ? word.replaceAll(FOREIGN_LETTER, writeOut) : word,
  );
  return inLatin.replaceAll(LEGIBLE_OR_MISLEADING, legibleOr(writeOut));
}

function legibleOr(writeOut: WriteOut) {
  return (found: string, legible: string | undefined): string => legible ?? writeOut(found);
}

function codePoint(signs: string): string {
  let written = "";
  for (const sign of signs) written += `\\u{${sign.codePointAt(0)?.toString(16)}}`;
  return written;
}

const HEX = Buffer.from("0123456789abcdef");
/** Length in UTF-16 units from which a sequence is written as bytes. */
const LONG_RUN = 16;

function jsonEscape(signs: string): string {
  if (signs.length >= LONG_RUN) return jsonEscapeRun(signs);
  let written = "";
  for (let at = 0; at < signs.length; at += 1) written += `\\u${signs.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return written;
}

/** A sequence may have a million characters: joining as many strings takes three times as long as writing bytes. */
function jsonEscapeRun(signs: string): string {
  const written = Buffer.allocUnsafe(6 * signs.length);
  for (let at = 0, to = 0; at < signs.length; at += 1) {
    const unit = signs.charCodeAt(at);
    written[to++] = BACKSLASH;
    written[to++] = LETTER_U;
    for (let shift = 12; shift >= 0; shift -= 4) written[to++] = HEX[(unit >> shift) & 15] ?? 0;
  }
  return written.toString("latin1");
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
