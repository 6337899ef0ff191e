// Reads one angle-bracket marker: XML-like tags in all their spellings and `<|special|>` tokens.
import {
  APOSTROPHE,
  COLON,
  DIGITS,
  EQUALS,
  GREATER_THAN,
  LESS_THAN,
  LETTERS,
  NEWLINE,
  QUOTE,
  SLASH,
} from "./charCodes.ts";
import { matchesLiteral, measureMatch, measureWhile, peek } from "./combinators.ts";
import { END, type Parser, type Source, StopTable } from "./Source.ts";
import { isBlank } from "./whitespace.ts";

/** Maximum characters of a marker, including attributes. */
const TAG_LIMIT = 2048;
const NAME_LIMIT = 128;

export interface Tag {
  readonly raw: string;
  /**
   * The canonical local name. Special tokens keep their bars, folded to ASCII: `<｜tool▁sep｜>` is `|tool_sep|`, `<|channel>`
   * is `|channel`, `<tool_call|>` is `tool_call|`. Elements have none: `<seed:tool_call>` is `tool_call`.
   */
  readonly name: string;
  readonly isClosing: boolean;
  readonly isSelfClosing: boolean;
  /** The namespace (`seed`, `ifm`), `|DSML|` and the like, `xtml` for `<|open|>…<|sep|>`, or nothing. */
  readonly prefix: string;
  /** Text after the name: `<tool_call:9f3a>` has `9f3a`. */
  readonly suffix: string;
  /** Text after `=` in `<function=NAME>`. */
  readonly value?: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Decides from the name alone if a marker is worth reading on, so that `<div …>` is released at once. */
export type KnownName = (name: string, prefix: string) => boolean;

/** The names that may carry a per-checkpoint suffix (`<arg_key:opensource>`). */
const SUFFIXED = new Set(["tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value", "think"]);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

const NAME = `${LETTERS}${DIGITS}_-.`;
const NAME_CODES = new StopTable(NAME);
/** Further characters of special tokens, and the `▁` of sentence-piece vocabularies. */
const TOKEN_CODES = new StopTable(`${NAME}:/"#▁`);
const SUFFIX_ENDS = new StopTable("</>");
const BAR = 124;
const DOUBLED = "<<function>>";
const XTML_END = "<|sep|>";
/** Matches a word at any start, so that none is examined twice. */
const ATTRIBUTE = /[\s\x85]*([^\s\x85=]*)(?:[\s\x85]*=[\s\x85]*(?:"([^"]*)"?|'([^']*)'?|([^\s\x85]*)))?/g;
/** One bar, or the full-width one. */
const BARS = new StopTable("|｜");

/** Reads the marker that starts at `ahead` from the cursor (at its `<`) without moving the cursor; undefined if there is none. */
export function readTag(source: Source, isKnown: KnownName, ahead = 0): Parser<Tag | undefined> {
  return new TagReader(source, isKnown, ahead).read();
}

/** Like `readTag`, but returns `cut` if the text ended before it was certain that a marker stands here. */
export function* readTagOrCut(source: Source, isKnown: KnownName, ahead = 0): Parser<Tag | "cut" | undefined> {
  const reader = new TagReader(source, isKnown, ahead);
  return (yield* reader.read()) ?? (source.code(reader.offset) === END ? "cut" : undefined);
}

/** Returns true if no marker starts at the `<` that is `ahead` from the cursor: a name ends after it and is unknown. False if a reader must look. */
export function isNoTag(source: Pick<Source, "code" | "peekText">, isKnown: KnownName, ahead = 0): boolean {
  let at = ahead + 1;
  if (source.code(at) === SLASH) at += 1;
  const from = at;
  let code = source.code(at);
  while (NAME_CODES.has(code) && at - from < NAME_LIMIT) code = source.code(++at);
  if (code < 0 || code === COLON || code === LESS_THAN || BARS.has(code) || NAME_CODES.has(code)) return false;
  const name = source.peekText(at).slice(from);
  return !name.startsWith("_") && (name === "" || !isKnown(name, ""));
}

class TagReader {
  /** Distance of the next character from the cursor. If no marker stands here, of the character that shows it. */
  offset: number;
  readonly #source: Source;
  readonly #isKnown: KnownName;
  readonly #start: number;
  #isClosing = false;
  #prefix = "";
  #suffix = "";

  constructor(source: Source, isKnown: KnownName, ahead: number) {
    this.#source = source;
    this.#isKnown = isKnown;
    this.#start = ahead;
    this.offset = ahead + 1;
  }

  *read(): Parser<Tag | undefined> {
    let code = yield* peek(this.#source, this.offset);
    if (code === SLASH) {
      this.#isClosing = true;
      this.offset += 1;
      code = yield* peek(this.#source, this.offset);
    }
    if (BARS.has(code)) return yield* this.#readSpecialToken();
    if (code !== LESS_THAN) return yield* this.#readElement();
    if (!(yield* matchesLiteral(this.#source, DOUBLED, this.#start))) return undefined;
    this.offset = this.#start + DOUBLED.length - 1;
    return this.#endTag(DOUBLED);
  }

  /** `<|name|>`, `<|name>`, `<|DSML|element …>`, `<|open|>element …<|sep|>`. */
  *#readSpecialToken(): Parser<Tag | undefined> {
    yield* this.#skipBars();
    const word = yield* this.#readWord(isTokenCharacter);
    if (word === undefined) return undefined;
    const code = yield* peek(this.#source, this.offset);
    if (code === GREATER_THAN) return this.#endTag(`|${word}`);
    if (!BARS.has(code)) return undefined;
    yield* this.#skipBars();
    if ((yield* peek(this.#source, this.offset)) === GREATER_THAN) {
      if (word !== "open" && word !== "close") return this.#endTag(`|${word}|`);
      this.#isClosing = word === "close";
      this.offset += 1;
      return yield* this.#readXtmlTag();
    }
    this.#prefix = `|${word}|`;
    if (!this.#isKnown("", this.#prefix)) return undefined;
    this.offset = yield* measureWhile(this.#source, isBlank, this.offset, NAME_LIMIT);
    return yield* this.#readElement();
  }

  /** `<|open|>argument key="port" type="string"<|sep|>`. */
  *#readXtmlTag(): Parser<Tag | undefined> {
    this.#prefix = "xtml";
    const name = yield* this.#readWord(isNameCharacter);
    if (!name || !this.#isKnown(name, "xtml")) return undefined;
    const from = this.offset;
    this.offset = yield* measureWhile(this.#source, (code) => code !== LESS_THAN && code !== END, from, TAG_LIMIT);
    const attributeText = this.#source.peekText(this.offset).slice(from);
    this.offset += yield* measureMatch(this.#source, XTML_END, this.offset);
    if (this.offset !== from + attributeText.length + XTML_END.length) return undefined;
    return this.#createTag(name, { attributes: readAttributes(attributeText) });
  }

  /** `<name>`, `<ns:name attributes>`, `<name=value>`, `<name|>`, `<ns|name>`. */
  *#readElement(): Parser<Tag | undefined> {
    let name = yield* this.#readWord(isNameCharacter);
    if (!name) return undefined;
    const code = yield* peek(this.#source, this.offset);
    if (code === COLON && SUFFIXED.has(name)) {
      this.offset += 1;
      this.#suffix = (yield* this.#readWord(isSuffixCharacter)) ?? "";
    } else if (code === COLON || code === BAR) {
      this.offset += 1;
      const nextCode = yield* peek(this.#source, this.offset);
      if (code === BAR && nextCode === GREATER_THAN) return this.#endTag(`${name}|`);
      if (code === COLON && isBlank(nextCode)) return yield* this.#readLabelledTag(`${name}:`);
      if (this.#prefix === "") this.#prefix = name;
      name = yield* this.#readWord(isNameCharacter);
      if (!name) return undefined;
    }
    if (name.startsWith("_")) name = name.toLowerCase();
    if (!this.#isKnown(name, this.#prefix)) return undefined;
    return (yield* peek(this.#source, this.offset)) === EQUALS
      ? yield* this.#readTagWithValue(name)
      : yield* this.#readTagWithAttributes(name);
  }

  /** `<tool: LABEL>`. */
  *#readLabelledTag(name: string): Parser<Tag | undefined> {
    if (!this.#isKnown(name, "")) return undefined;
    const value = yield* this.#readValue(NAME_LIMIT);
    const code = this.#source.code(this.offset);
    if (value === undefined || code === LESS_THAN) return undefined;
    this.offset += 1;
    return this.#createTag(name, { value });
  }

  /** Reads `<function=NAME>`. The `>` may be missing if another marker or the line's end follows. */
  *#readTagWithValue(name: string): Parser<Tag | undefined> {
    this.offset += 1;
    const text = yield* this.#readValue(2 * NAME_LIMIT);
    const value = text && unquote(text, "\"'`");
    if (!value) return undefined;
    if (this.#source.code(this.offset) === GREATER_THAN) this.offset += 1;
    return this.#createTag(name, { value });
  }

  /** The text before the next `>`, `<` or end of the line, which it moves to; undefined if none stands within `limit` characters. */
  *#readValue(limit: number): Parser<string | undefined> {
    const from = this.offset;
    this.offset = yield* measureWhile(this.#source, isInValue, from, limit + 1);
    const code = this.#source.code(this.offset);
    return code === END || isInValue(code) ? undefined : this.#source.peekText(this.offset).slice(from).trim();
  }

  *#readTagWithAttributes(name: string): Parser<Tag | undefined> {
    const from = this.offset;
    let quote = 0;
    for (let code = yield* peek(this.#source, from); quote !== 0 || code !== GREATER_THAN; ) {
      if (code === END || this.offset - this.#start > TAG_LIMIT || (quote === 0 && code === LESS_THAN))
        return undefined;
      if (this.offset === from && !this.#isClosing && code !== SLASH && !isBlank(code)) return undefined;
      if (code === quote) quote = 0;
      else if (quote === 0 && !this.#isClosing && (code === QUOTE || code === APOSTROPHE)) quote = code;
      this.offset += 1;
      code = yield* peek(this.#source, this.offset);
    }
    const attributeText = this.#source.peekText(this.offset).slice(from);
    this.offset += 1;
    const selfClosing = attributeText.endsWith("/");
    const attributes =
      attributeText === "" ? NO_ATTRIBUTES : readAttributes(selfClosing ? attributeText.slice(0, -1) : attributeText);
    return this.#createTag(name, { isSelfClosing: selfClosing, attributes });
  }

  *#readWord(accepts: (code: number) => boolean): Parser<string | undefined> {
    const from = this.offset;
    const to = yield* measureWhile(this.#source, accepts, from, NAME_LIMIT + 1);
    if (to - from > NAME_LIMIT) return undefined;
    this.offset = to;
    return this.#source.peekText(to).slice(from).replaceAll("▁", "_");
  }

  /** One bar or two of them: hosted servers double the full-width ones. */
  *#skipBars(): Parser<void> {
    this.offset += 1;
    if (BARS.has(yield* peek(this.#source, this.offset))) this.offset += 1;
  }

  /** Returns a marker without attributes, which ends after the next character. */
  #endTag(name: string): Tag | undefined {
    if (!this.#isKnown(name, "")) return undefined;
    this.offset += 1;
    return this.#createTag(name);
  }

  #createTag(name: string, extra: Partial<Pick<Tag, "value" | "attributes" | "isSelfClosing">> = {}): Tag {
    return {
      raw: this.#source.peekText(this.offset).slice(this.#start),
      name,
      isClosing: this.#isClosing,
      isSelfClosing: extra.isSelfClosing ?? false,
      prefix: this.#prefix,
      suffix: this.#suffix,
      value: extra.value,
      attributes: extra.attributes ?? NO_ATTRIBUTES,
    };
  }
}

const isNameCharacter = (code: number): boolean => NAME_CODES.has(code);
const isTokenCharacter = (code: number): boolean => TOKEN_CODES.has(code);
const isSuffixCharacter = (code: number): boolean => code !== END && !SUFFIX_ENDS.has(code) && !isBlank(code);
const isInValue = (code: number): boolean =>
  code !== LESS_THAN && code !== GREATER_THAN && code !== NEWLINE && code !== END;

/** Reads `key="value"` pairs, in any quotes or none. The first of repeated keys counts; a word without a value is ignored. */
function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, key = "", double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare;
    if (key !== "" && value !== undefined && !attributes.has(key)) attributes.set(key, decodeEntities(value));
  }
  return attributes;
}

/** Removes quotation marks around a text: one of `quotes` on both sides. */
export function unquote(text: string, quotes = "\"'"): string {
  const first = text.charAt(0);
  return text.length > 1 && quotes.includes(first) && text.endsWith(first) ? text.slice(1, -1) : text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" };

/**
 * Decoded once and only once. Any other reference stays as it is written, `&#0;` and `&#xD800;` with it: what a template encodes are
 * these five, and a number could name a character that no text may hold (decisions/0032).
 */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|quot|apos|lt|gt);/g, (all, name: string) => ENTITIES[name] ?? all);
}
