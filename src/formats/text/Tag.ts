// Reads one angle-bracket mark: XML-like tags in all their spellings and `<|special|>` tokens. Knows no mark's meaning.
import { DIGIT_0, DIGIT_9, DOT, HASH, LOWER_A, LOWER_Z, MINUS, UNDERSCORE, UPPER_A, UPPER_Z } from "./codes.ts";
import { END, type Reading, type Source, WAIT } from "./Source.ts";
import { readAttributes } from "./tagAttributes.ts";
import { peek, startsWith } from "./waiting.ts";
import { isBlank } from "./whiteSpace.ts";

/** Characters of a mark, attributes included; longer is no mark. */
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
  /** Behind the name: `<tool_call:9f3a>` has `9f3a`. */
  readonly suffix: string;
  /** What follows `=` in `<function=NAME>`. */
  readonly value?: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Decides from the name alone whether a mark is worth reading on, so that `<div …>` is released at once. */
export type KnownName = (name: string, prefix: string) => boolean;

/** The names that may carry a per-checkpoint suffix (`<arg_key:opensource>`). */
const SUFFIXED = new Set(["tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value", "think"]);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** Reads the mark that starts `ahead` of the cursor (at its `<`) without moving the cursor; undefined where there is none. */
export function* readTag(source: Source, known: KnownName, ahead = 0): Reading<Tag | undefined> {
  return yield* new TagReader(source, known, ahead).read();
}

/** As `readTag`, but says `cut` where the text ended before it was plain whether a mark stands here. */
export function* readTagOrCut(source: Source, known: KnownName, ahead = 0): Reading<Tag | "cut" | undefined> {
  const reader = new TagReader(source, known, ahead);
  const tag = yield* reader.read();
  return tag ?? (reader.sawEnd ? "cut" : undefined);
}

class TagReader {
  sawEnd = false;
  readonly #source: Source;
  readonly #known: KnownName;
  readonly #from: number;
  #k: number;
  #closing = false;
  #prefix = "";
  #suffix = "";

  constructor(source: Source, known: KnownName, ahead: number) {
    this.#source = source;
    this.#known = known;
    this.#from = ahead;
    this.#k = ahead + 1;
  }

  *read(): Reading<Tag | undefined> {
    let code = yield* this.#peek();
    if (code === SLASH) {
      this.#closing = true;
      this.#k += 1;
      code = yield* this.#peek();
    }
    if (code === LESS) return yield* this.#doubled();
    if (isBar(code)) return yield* this.#special();
    return yield* this.#element();
  }

  /** `<<function>>` and nothing else. */
  *#doubled(): Reading<Tag | undefined> {
    if (!(yield* startsWith(this.#source, "<<function>>", this.#from))) return undefined;
    this.#k = this.#from + "<<function>>".length;
    return this.#known("<<function>>", "") ? this.#tag("<<function>>") : undefined;
  }

  /** `<|name|>`, `<|name>`, `<|DSML|element …>`, `<|open|>element …<|sep|>`. */
  *#special(): Reading<Tag | undefined> {
    yield* this.#skipBars();
    const word = yield* this.#word(isTokenCharacter);
    if (word === undefined) return undefined;
    const code = yield* this.#peek();
    if (code === GREATER) {
      this.#k += 1;
      return this.#known(`|${word}`, "") ? this.#tag(`|${word}`) : undefined;
    }
    if (!isBar(code)) return undefined;
    yield* this.#skipBars();
    const next = yield* this.#peek();
    if (next === GREATER) {
      this.#k += 1;
      if (word === "open" || word === "close") return yield* this.#xtml(word === "close");
      return this.#known(`|${word}|`, "") ? this.#tag(`|${word}|`) : undefined;
    }
    this.#prefix = `|${word}|`;
    if (!this.#known("", this.#prefix)) return undefined;
    yield* this.#skipBlanks();
    return yield* this.#element();
  }

  /** `<|open|>argument key="port" type="string"<|sep|>`. */
  *#xtml(closing: boolean): Reading<Tag | undefined> {
    this.#closing = closing;
    this.#prefix = "xtml";
    const name = yield* this.#word(isNameCharacter);
    if (!name || !this.#known(name, "xtml")) return undefined;
    const from = this.#k;
    while ((yield* this.#peek()) !== LESS) {
      if (this.#k - this.#from > TAG_LIMIT || (yield* this.#peek()) === END) return undefined;
      this.#k += 1;
    }
    const inside = this.#source.ahead(this.#k).slice(from);
    for (const char of "<|sep|>") {
      if ((yield* this.#peek()) !== char.charCodeAt(0)) return undefined;
      this.#k += 1;
    }
    return this.#tag(name, { attributes: readAttributes(inside) });
  }

  /** `<name>`, `<ns:name attributes>`, `<name=value>`, `<name|>`, `<ns|name>`. */
  *#element(): Reading<Tag | undefined> {
    let name = yield* this.#word(isNameCharacter);
    if (!name) return undefined;
    let code = yield* this.#peek();
    if (code === COLON && SUFFIXED.has(name)) {
      this.#k += 1;
      this.#suffix = (yield* this.#word(isSuffixCharacter)) ?? "";
    } else if (code === COLON || code === BAR) {
      this.#k += 1;
      const behind = yield* this.#peek();
      if (code === BAR && behind === GREATER) {
        this.#k += 1;
        return this.#known(`${name}|`, "") ? this.#tag(`${name}|`) : undefined;
      }
      if (code === COLON && isBlank(behind)) return yield* this.#labelled(name);
      this.#prefix = this.#prefix === "" ? name : this.#prefix;
      name = yield* this.#word(isNameCharacter);
      if (!name) return undefined;
    }
    if (name.startsWith("_")) name = name.toLowerCase();
    if (!this.#known(name, this.#prefix)) return undefined;
    code = yield* this.#peek();
    if (code === EQUALS) return yield* this.#valued(name);
    return yield* this.#attributed(name);
  }

  /** `<tool: LABEL>`. */
  *#labelled(name: string): Reading<Tag | undefined> {
    if (!this.#known(`${name}:`, "")) return undefined;
    const from = this.#k;
    for (;;) {
      const code = yield* this.#peek();
      if (code === END || code === LESS || this.#k - from > NAME_LIMIT) return undefined;
      this.#k += 1;
      if (code === GREATER || code === NEWLINE) break;
    }
    const value = this.#source
      .ahead(this.#k - 1)
      .slice(from)
      .trim();
    return this.#tag(`${name}:`, { value });
  }

  /** `<function=NAME>`; a missing `>` is forgiven where another mark or the line's end follows. */
  *#valued(name: string): Reading<Tag | undefined> {
    this.#k += 1;
    const from = this.#k;
    let code = yield* this.#peek();
    while (code !== GREATER && code !== LESS && code !== NEWLINE) {
      if (code === END || this.#k - from > 2 * NAME_LIMIT) return undefined;
      this.#k += 1;
      code = yield* this.#peek();
    }
    const value = unquote(this.#source.ahead(this.#k).slice(from).trim());
    if (code === GREATER) this.#k += 1;
    return value === "" ? undefined : this.#tag(name, { value });
  }

  *#attributed(name: string): Reading<Tag | undefined> {
    const from = this.#k;
    let quote = 0;
    for (;;) {
      const code = yield* this.#peek();
      if (code === END || this.#k - this.#from > TAG_LIMIT) return undefined;
      if (this.#k === from && !this.#closing && code !== GREATER && code !== SLASH && !isBlank(code)) return undefined;
      if (quote !== 0) {
        if (code === quote) quote = 0;
      } else if (code === GREATER) {
        break;
      } else if (code === LESS) {
        return undefined;
      } else if (!this.#closing && (code === DOUBLE || code === SINGLE)) {
        quote = code;
      }
      this.#k += 1;
    }
    const inside = this.#source.ahead(this.#k).slice(from);
    this.#k += 1;
    const selfClosing = inside.endsWith("/");
    const body = selfClosing ? inside.slice(0, -1) : inside;
    return this.#tag(name, { selfClosing, attributes: body.trim() === "" ? NO_ATTRIBUTES : readAttributes(body) });
  }

  *#word(accepts: (code: number) => boolean): Reading<string | undefined> {
    const from = this.#k;
    for (;;) {
      // Most of a mark has arrived by the time it is read: no generator for each of its characters.
      let code = this.#source.code(this.#k);
      if (code === WAIT || code === END) code = yield* this.#peek();
      if (!accepts(code)) break;
      this.#k += 1;
      if (this.#k - from > NAME_LIMIT) return undefined;
    }
    return this.#source.ahead(this.#k).slice(from).replaceAll("▁", "_");
  }

  /** One bar or two of them: hosted servers double the full-width ones. */
  *#skipBars(): Reading<void> {
    this.#k += 1;
    if (isBar(yield* this.#peek())) this.#k += 1;
  }

  *#skipBlanks(): Reading<void> {
    while (isBlank(yield* this.#peek()) && this.#k - this.#from < NAME_LIMIT) this.#k += 1;
  }

  *#peek(): Reading<number> {
    const code = yield* peek(this.#source, this.#k);
    if (code === END) this.sawEnd = true;
    return code;
  }

  #tag(name: string, more: Partial<Pick<Tag, "value" | "attributes" | "selfClosing">> = {}): Tag {
    return {
      raw: this.#source.ahead(this.#k).slice(this.#from),
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

const SLASH = 47;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const COLON = 58;
const BAR = 124;
const NEWLINE = 10;
const DOUBLE = 34;
const SINGLE = 39;

/** `|` and the full-width `｜`. */
function isBar(code: number): boolean {
  return code === BAR || code === 0xff5c;
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= LOWER_A && code <= LOWER_Z) ||
    (code >= UPPER_A && code <= UPPER_Z) ||
    (code >= DIGIT_0 && code <= DIGIT_9) ||
    code === UNDERSCORE ||
    code === MINUS ||
    code === DOT
  );
}

/** Special tokens may also hold `:`, `/`, `"`, `#` and the `▁` of sentence-piece vocabularies. */
function isTokenCharacter(code: number): boolean {
  return (
    isNameCharacter(code) || code === COLON || code === SLASH || code === DOUBLE || code === HASH || code === 0x2581
  );
}

function isSuffixCharacter(code: number): boolean {
  return code !== END && code !== GREATER && code !== SLASH && code !== LESS && !isBlank(code);
}

function unquote(text: string): string {
  const first = text[0];
  const quoted = text.length > 1 && (first === '"' || first === "'" || first === "`") && text.endsWith(first);
  return quoted ? text.slice(1, -1) : text;
}
