// Reads one call written as tags: a name, then parameters as raw text between markers (XML-like, key/value pairs, `<|open|>` elements).
// `fitCall` interprets the values by the schema.

import type { Argument, CallCandidate } from "../../decoders/CallCandidate.ts";
import { LESS_THAN, OPEN_BRACE } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, measureWhile, peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { readTag, type Tag } from "../../scanner/Tag.ts";
import { trimBlanks } from "../../scanner/whitespace.ts";
import { ARGUMENT_CHILDREN, LEAD, NAME_CHILDREN } from "../../specs/callTags.ts";
import { WRAPPER_NAMES } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { CallBuilder, type CallOpening, type ParameterValue } from "./CallBuilder.ts";
import {
  detectArgumentForm,
  getParameterKey,
  isCallCloser,
  isElementCloser,
  isOutside,
  PAIR_NAME,
} from "./callMarkers.ts";
import { type ElementCallEnd, KEY_LIMIT, ParameterValueReader } from "./ParameterValueReader.ts";

export interface ElementCall {
  readonly end: ElementCallEnd;
  /** Absent if no name was found. */
  readonly candidate?: CallCandidate | undefined;
  /** The candidate of a call that has an end. */
  readonly whole?: CallCandidate | undefined;
}

/** Reads one call whose opening marker has been consumed, up to and including the marker that ends it. */
export function* readElementCall(turn: ParserState, opening: CallOpening): Parser<ElementCall> {
  return yield* new ElementReader(turn, opening).read();
}

class ElementReader {
  readonly #turn: ParserState;
  readonly #parts: CallBuilder;
  readonly #values: ParameterValueReader;

  constructor(turn: ParserState, opening: CallOpening) {
    this.#turn = turn;
    this.#parts = new CallBuilder(turn, opening);
    this.#values = new ParameterValueReader(turn, this.#parts);
  }

  *read(): Parser<ElementCall> {
    const end = this.#parts.tag?.selfClosing ? "closed" : yield* this.#children();
    const candidate = this.#parts.candidate();
    if (!candidate && this.#parts.name !== undefined && end !== "cut") return { end: "broken" };
    return { end, candidate, whole: end === "closed" || end === "implied" ? candidate : undefined };
  }

  *#children(): Parser<ElementCallEnd> {
    const { source } = this.#turn;
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      if (source.offset >= this.#values.until) return "broken";
      if (code === OPEN_BRACE && this.#parts.isEmpty) {
        const end = yield* this.#object();
        if (end) return end;
        continue;
      }
      const tag = yield* this.#values.tagAt();
      if (!tag) {
        if (yield* this.#elidedOpener()) continue;
        return (yield* this.#values.endsInMark()) ?? "broken";
      }
      const end = yield* this.#child(tag);
      if (end) return end;
    }
  }

  /** Handles the child marker before the cursor. Returns how the call ended, if it did. */
  *#child(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#turn;
    const parts = this.#parts;
    if (isCallCloser(tag, parts.tag)) {
      source.skip(tag.raw.length);
      return "closed";
    }
    if (tag.closing && !WRAPPER_NAMES.has(tag.name)) {
      source.skip(tag.raw.length);
      return undefined;
    }
    const awaited = tag.value === undefined && tag.attributes.size === 0 && !tag.closing && parts.awaits(tag.name);
    if (isOutside(tag) && !awaited) return "implied";
    source.skip(tag.raw.length);
    if (awaited) return yield* this.#parameter(tag);
    if (tag.name === "tool_sep") return undefined;
    if (tag.name === "arg_key" || tag.name === "|tool_arg:start|") return yield* this.#pair(tag);
    if (tag.name === "server_name") return yield* this.#label(tag, (text) => (parts.server = text));
    if (NAME_CHILDREN.has(tag.name) && (parts.name === undefined || parts.namesAgain(tag.name)))
      return yield* this.#label(tag, (text) => parts.rename(text));
    if (tag.prefix === "xtml" && tag.name === "json") return yield* this.#value(tag, (value) => parts.whole(value));
    if (ARGUMENT_CHILDREN.has(tag.name) && tag.value === undefined && tag.attributes.size === 0)
      return yield* this.#container(tag);
    return yield* this.#parameter(tag);
  }

  /** `<parameter=K>`, `<parameter name="K">`, or an element named after its key. */
  *#parameter(tag: Tag): Parser<ElementCallEnd | undefined> {
    const given = getParameterKey(tag);
    const key = given ?? tag.name;
    if (tag.selfClosing) return this.#parts.add({ key, text: "", form: "raw", glued: false });
    const form = given === undefined ? "element" : detectArgumentForm(tag);
    const glued = tag.value !== undefined || given === undefined;
    return yield* this.#value(tag, (value) => this.#parts.add({ key, ...value, form, glued }), { key, form });
  }

  /** `<arg_key>K</arg_key><arg_value>V</arg_value>` and its cousins; either inner closer may be missing. */
  *#pair(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#turn;
    const key = yield* this.#shortText();
    if (key === undefined) return "broken";
    let form: Argument["form"] = "raw";
    const add = (value: ParameterValue): void => this.#parts.add({ key, ...value, form, glued: false });
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      const next = code === LESS_THAN ? yield* readTag(source, PAIR_NAME) : undefined;
      if (next?.name === "arg_value" || next?.name === "|tool_arg:value|") {
        if (next.closing) return "broken";
        source.skip(next.raw.length);
        return yield* this.#value(next, add, { key, form });
      }
      if (next?.name === "arg_key" && next.closing) {
        source.skip(next.raw.length);
      } else if (next?.name === "arg_type" && !next.closing) {
        source.skip(next.raw.length);
        let type = "";
        const end = yield* this.#label(next, (text) => (type = text));
        if (end) return end;
        if (type === "string" || type === "str") form = "string";
        else if (!this.#parts.parameters.includes(key)) form = "json";
      } else if (tag.name === "|tool_arg:start|" || next) {
        return "broken";
      } else {
        return yield* this.#value({ ...tag, name: "arg_value", raw: "", closing: false }, add, { key, form });
      }
    }
  }

  /** `<arguments>…</arguments>`: JSON, elements, or the text of a single parameter. */
  *#container(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#turn;
    const code = yield* skipBlanks(source);
    if (code === OPEN_BRACE) return yield* this.#object();
    if (code === LESS_THAN) {
      const child = yield* this.#values.tagAt();
      if (child && isElementCloser(child, tag)) return undefined;
      if (
        child &&
        !child.closing &&
        (getParameterKey(child) !== undefined || this.#parts.parameters.includes(child.name))
      )
        return undefined;
      return yield* this.#value(tag, (value) => this.#parts.add({ ...value, form: "element", glued: true }));
    }
    return yield* this.#value(tag, ({ text }) => (this.#parts.text = text));
  }

  /** Reads a JSON object with all arguments. */
  *#object(): Parser<ElementCallEnd | undefined> {
    const { source } = this.#turn;
    const from = source.offset;
    const scan = yield* scanBalanced(source, this.#values.until);
    if (scan === "cut") return "cut";
    if (scan !== "balanced") return "broken";
    this.#parts.whole({ text: source.held(from) });
    return undefined;
  }

  /** Reads a name between two markers of the same element. */
  *#label(tag: Tag, keep: (text: string) => void): Parser<ElementCallEnd | undefined> {
    const { source } = this.#turn;
    const text = yield* this.#shortText();
    if (text === undefined) return (yield* peek(source)) === END ? "cut" : "broken";
    const close = yield* this.#values.tagAt(tag.name);
    if (!close || !isElementCloser(close, tag)) return "broken";
    source.skip(close.raw.length);
    keep(text);
    return undefined;
  }

  /** Returns the text before the next marker, trimmed; undefined if there is none within the length of a name. */
  *#shortText(): Parser<string | undefined> {
    const { source } = this.#turn;
    const { mark } = this.#values;
    const length = yield* measureWhile(source, (code) => code !== mark && code !== END, 0, KEY_LIMIT + 1);
    const code = source.code(length);
    if (code === END) source.skip(length);
    if (code !== mark) return undefined;
    const text = trimBlanks(source.ahead(length));
    source.skip(length);
    return text;
  }

  /** Reads a raw value. Returns how the call ended if the value's own closer was missing. */
  *#value(
    open: Tag,
    keep: (value: ParameterValue) => void,
    typed: { readonly key?: string; readonly form?: Argument["form"] | "element" } = {},
  ): Parser<ElementCallEnd | undefined> {
    const { key, form } = typed;
    const structured = form === "json" || (form !== "string" && key !== undefined && this.#parts.acceptsContainer(key));
    const { value, end } = yield* this.#values.read(open, structured);
    if (value) keep(value);
    return end;
  }

  /** Reads a first parameter whose opener the model omitted: text after the lead token, named by its closer. */
  *#elidedOpener(): Parser<boolean> {
    const { source } = this.#turn;
    if (!this.#parts.lead || !(yield* matchesLiteral(source, LEAD)) || (yield* peek(source, LEAD.length)) === LESS_THAN)
      return false;
    source.skip(LEAD.length);
    const from = source.offset;
    const values = this.#values;
    const closer = yield* findNext(source, LEAD_START, values.until, function* () {
      const tag = yield* values.tagAt();
      return tag?.closing && tag;
    });
    if (!closer) return false;
    this.#parts.add({ key: closer.name, text: source.held(from), form: "raw", glued: false });
    source.skip(closer.raw.length);
    return true;
  }
}

const LEAD_START = new StopTable("]");
