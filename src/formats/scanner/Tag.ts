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
  readonly closing: boolean;
  readonly selfClosing: boolean;
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
export function readTag(source: Source, known: KnownName, ahead = 0): Parser<Tag | undefined> {
  return new TagReader(source, known, ahead).read();
}

/** Like `readTag`, but returns `cut` if the text ended before it was certain that a marker stands here. */
export function* readTagOrCut(source: Source, known: KnownName, ahead = 0): Parser<Tag | "cut" | undefined> {
  const reader = new TagReader(source, known, ahead);
  return (yield* reader.read()) ?? (source.code(reader.at) === END ? "cut" : undefined);
}

/** Returns true if no marker starts at the `<` that is `ahead` from the cursor: a name ends after it and is unknown. False if a reader must look. */
export function isNoTag(source: Pick<Source, "code" | "ahead">, known: KnownName, ahead = 0): boolean {
  let at = ahead + 1;
  if (source.code(at) === SLASH) at += 1;
  const from = at;
  let code = source.code(at);
  while (NAME_CODES.has(code) && at - from < NAME_LIMIT) code = source.code(++at);
  if (code < 0 || code === COLON || code === LESS_THAN || BARS.has(code) || NAME_CODES.has(code)) return false;
  const name = source.ahead(at).slice(from);
  return !name.startsWith("_") && (name === "" || !known(name, ""));
}

class TagReader {
  /** Distance of the next character from the cursor. If no marker stands here, of the character that shows it. */
  at: number;
  readonly #source: Source;
  readonly #known: KnownName;
  readonly #from: number;
  #closing = false;
  #prefix = "";
  #suffix = "";

  constructor(source: Source, known: KnownName, ahead: number) {
    this.#source = source;
    this.#known = known;
    this.#from = ahead;
    this.at = ahead + 1;
  }

  *read(): Parser<Tag | undefined> {
    let code = yield* peek(this.#source, this.at);
    if (code === SLASH) {
      this.#closing = true;
      this.at += 1;
      code = yield* peek(this.#source, this.at);
    }
    if (BARS.has(code)) return yield* this.#special();
    if (code !== LESS_THAN) return yield* this.#element();
    if (!(yield* matchesLiteral(this.#source, DOUBLED, this.#from))) return undefined;
    this.at = this.#from + DOUBLED.length - 1;
    return this.#ended(DOUBLED);
  }

  /** `<|name|>`, `<|name>`, `<|DSML|element …>`, `<|open|>element …<|sep|>`. */
  *#special(): Parser<Tag | undefined> {
    yield* this.#skipBars();
    const word = yield* this.#word(isTokenCharacter);
    if (word === undefined) return undefined;
    const code = yield* peek(this.#source, this.at);
    if (code === GREATER_THAN) return this.#ended(`|${word}`);
    if (!BARS.has(code)) return undefined;
    yield* this.#skipBars();
    if ((yield* peek(this.#source, this.at)) === GREATER_THAN) {
      if (word !== "open" && word !== "close") return this.#ended(`|${word}|`);
      this.#closing = word === "close";
      this.at += 1;
      return yield* this.#xtml();
    }
    this.#prefix = `|${word}|`;
    if (!this.#known("", this.#prefix)) return undefined;
    this.at = yield* measureWhile(this.#source, isBlank, this.at, NAME_LIMIT);
    return yield* this.#element();
  }

  /** `<|open|>argument key="port" type="string"<|sep|>`. */
  *#xtml(): Parser<Tag | undefined> {
    this.#prefix = "xtml";
    const name = yield* this.#word(isNameCharacter);
    if (!name || !this.#known(name, "xtml")) return undefined;
    const from = this.at;
    this.at = yield* measureWhile(this.#source, (code) => code !== LESS_THAN && code !== END, from, TAG_LIMIT);
    const inside = this.#source.ahead(this.at).slice(from);
    this.at += yield* measureMatch(this.#source, XTML_END, this.at);
    if (this.at !== from + inside.length + XTML_END.length) return undefined;
    return this.#tag(name, { attributes: readAttributes(inside) });
  }

  /** `<name>`, `<ns:name attributes>`, `<name=value>`, `<name|>`, `<ns|name>`. */
  *#element(): Parser<Tag | undefined> {
    let name = yield* this.#word(isNameCharacter);
    if (!name) return undefined;
    const code = yield* peek(this.#source, this.at);
    if (code === COLON && SUFFIXED.has(name)) {
      this.at += 1;
      this.#suffix = (yield* this.#word(isSuffixCharacter)) ?? "";
    } else if (code === COLON || code === BAR) {
      this.at += 1;
      const behind = yield* peek(this.#source, this.at);
      if (code === BAR && behind === GREATER_THAN) return this.#ended(`${name}|`);
      if (code === COLON && isBlank(behind)) return yield* this.#labelled(`${name}:`);
      if (this.#prefix === "") this.#prefix = name;
      name = yield* this.#word(isNameCharacter);
      if (!name) return undefined;
    }
    if (name.startsWith("_")) name = name.toLowerCase();
    if (!this.#known(name, this.#prefix)) return undefined;
    return (yield* peek(this.#source, this.at)) === EQUALS ? yield* this.#valued(name) : yield* this.#attributed(name);
  }

  /** `<tool: LABEL>`. */
  *#labelled(name: string): Parser<Tag | undefined> {
    if (!this.#known(name, "")) return undefined;
    const value = yield* this.#value(NAME_LIMIT);
    const code = this.#source.code(this.at);
    if (value === undefined || code === LESS_THAN) return undefined;
    this.at += 1;
    return this.#tag(name, { value });
  }

  /** Reads `<function=NAME>`. The `>` may be missing if another marker or the line's end follows. */
  *#valued(name: string): Parser<Tag | undefined> {
    this.at += 1;
    const text = yield* this.#value(2 * NAME_LIMIT);
    const value = text && unquote(text, "\"'`");
    if (!value) return undefined;
    if (this.#source.code(this.at) === GREATER_THAN) this.at += 1;
    return this.#tag(name, { value });
  }

  /** The text before the next `>`, `<` or end of the line, which it moves to; undefined if none stands within `limit` characters. */
  *#value(limit: number): Parser<string | undefined> {
    const from = this.at;
    this.at = yield* measureWhile(this.#source, isInValue, from, limit + 1);
    const code = this.#source.code(this.at);
    return code === END || isInValue(code) ? undefined : this.#source.ahead(this.at).slice(from).trim();
  }

  *#attributed(name: string): Parser<Tag | undefined> {
    const from = this.at;
    let quote = 0;
    for (let code = yield* peek(this.#source, from); quote !== 0 || code !== GREATER_THAN; ) {
      if (code === END || this.at - this.#from > TAG_LIMIT || (quote === 0 && code === LESS_THAN)) return undefined;
      if (this.at === from && !this.#closing && code !== SLASH && !isBlank(code)) return undefined;
      if (code === quote) quote = 0;
      else if (quote === 0 && !this.#closing && (code === QUOTE || code === APOSTROPHE)) quote = code;
      this.at += 1;
      code = yield* peek(this.#source, this.at);
    }
    const inside = this.#source.ahead(this.at).slice(from);
    this.at += 1;
    const selfClosing = inside.endsWith("/");
    const attributes = inside === "" ? NO_ATTRIBUTES : readAttributes(selfClosing ? inside.slice(0, -1) : inside);
    return this.#tag(name, { selfClosing, attributes });
  }

  *#word(belongs: (code: number) => boolean): Parser<string | undefined> {
    const from = this.at;
    const to = yield* measureWhile(this.#source, belongs, from, NAME_LIMIT + 1);
    if (to - from > NAME_LIMIT) return undefined;
    this.at = to;
    return this.#source.ahead(to).slice(from).replaceAll("▁", "_");
  }

  /** One bar or two of them: hosted servers double the full-width ones. */
  *#skipBars(): Parser<void> {
    this.at += 1;
    if (BARS.has(yield* peek(this.#source, this.at))) this.at += 1;
  }

  /** Returns a marker without attributes, which ends after the next character. */
  #ended(name: string): Tag | undefined {
    if (!this.#known(name, "")) return undefined;
    this.at += 1;
    return this.#tag(name);
  }

  #tag(name: string, more: Partial<Pick<Tag, "value" | "attributes" | "selfClosing">> = {}): Tag {
    return {
      raw: this.#source.ahead(this.at).slice(this.#from),
      name,
      closing: this.#closing,
      selfClosing: more.selfClosing ?? false,
      prefix: this.#prefix,
      suffix: this.#suffix,
      value: more.value,
      attributes: more.attributes ?? NO_ATTRIBUTES,
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
  for (const [, key = "", double, single, plain] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? plain;
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
