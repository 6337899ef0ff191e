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
  readonly wholeCall?: CallCandidate | undefined;
}

/** Reads one call whose opening marker has been consumed, up to and including the marker that ends it. */
export function* readElementCall(state: ParserState, opening: CallOpening): Parser<ElementCall> {
  return yield* new ElementReader(state, opening).readCall();
}

class ElementReader {
  readonly #state: ParserState;
  readonly #parts: CallBuilder;
  readonly #values: ParameterValueReader;

  constructor(state: ParserState, opening: CallOpening) {
    this.#state = state;
    this.#parts = new CallBuilder(state, opening);
    this.#values = new ParameterValueReader(state, this.#parts);
  }

  *readCall(): Parser<ElementCall> {
    const end = this.#parts.tag?.isSelfClosing ? "closed" : yield* this.#children();
    const candidate = this.#parts.candidate();
    if (!candidate && this.#parts.name !== undefined && end !== "cut") return { end: "broken" };
    return { end, candidate, wholeCall: end === "closed" || end === "implied" ? candidate : undefined };
  }

  *#children(): Parser<ElementCallEnd> {
    const { source } = this.#state;
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      if (source.offset >= this.#values.until) return "broken";
      if (code === OPEN_BRACE && this.#parts.isEmpty) {
        const end = yield* this.#readObject();
        if (end) return end;
        continue;
      }
      const tag = yield* this.#values.peekTag();
      if (!tag) {
        if (yield* this.#isOpenerElided()) continue;
        return (yield* this.#values.readCutMarker()) ?? "broken";
      }
      const end = yield* this.#child(tag);
      if (end) return end;
    }
  }

  /** Handles the child marker before the cursor. Returns how the call ended, if it did. */
  *#child(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#state;
    const parts = this.#parts;
    if (isCallCloser(tag, parts.tag)) {
      source.skip(tag.raw.length);
      return "closed";
    }
    if (tag.isClosing && !WRAPPER_NAMES.has(tag.name)) {
      source.skip(tag.raw.length);
      return undefined;
    }
    const isExpected =
      tag.value === undefined && tag.attributes.size === 0 && !tag.isClosing && parts.expects(tag.name);
    if (isOutside(tag) && !isExpected) return "implied";
    source.skip(tag.raw.length);
    if (isExpected) return yield* this.#readParameter(tag);
    if (tag.name === "tool_sep") return undefined;
    if (tag.name === "arg_key" || tag.name === "|tool_arg:start|") return yield* this.#readPair(tag);
    if (tag.name === "server_name") return yield* this.#readLabel(tag, (text) => (parts.server = text));
    if (NAME_CHILDREN.has(tag.name) && (parts.name === undefined || parts.isRepeatedKey(tag.name)))
      return yield* this.#readLabel(tag, (text) => parts.setName(text));
    if (tag.prefix === "xtml" && tag.name === "json") return yield* this.#value(tag, (value) => parts.setJson(value));
    if (ARGUMENT_CHILDREN.has(tag.name) && tag.value === undefined && tag.attributes.size === 0)
      return yield* this.#readContainer(tag);
    return yield* this.#readParameter(tag);
  }

  /** `<parameter=K>`, `<parameter name="K">`, or an element named after its key. */
  *#readParameter(tag: Tag): Parser<ElementCallEnd | undefined> {
    const givenKey = getParameterKey(tag);
    const key = givenKey ?? tag.name;
    if (tag.isSelfClosing) return this.#parts.addPiece({ key, text: "", form: "raw", isGlued: false });
    const form = givenKey === undefined ? "element" : detectArgumentForm(tag);
    const isGlued = tag.value !== undefined || givenKey === undefined;
    return yield* this.#value(tag, (value) => this.#parts.addPiece({ key, ...value, form, isGlued }), { key, form });
  }

  /** `<arg_key>K</arg_key><arg_value>V</arg_value>` and its cousins; either inner closer may be missing. */
  *#readPair(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#state;
    const key = yield* this.#readShortText();
    if (key === undefined) return "broken";
    let form: Argument["form"] = "raw";
    const addPiece = (value: ParameterValue): void => this.#parts.addPiece({ key, ...value, form, isGlued: false });
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      const next = code === LESS_THAN ? yield* readTag(source, PAIR_NAME) : undefined;
      if (next?.name === "arg_value" || next?.name === "|tool_arg:value|") {
        if (next.isClosing) return "broken";
        source.skip(next.raw.length);
        return yield* this.#value(next, addPiece, { key, form });
      }
      if (next?.name === "arg_key" && next.isClosing) {
        source.skip(next.raw.length);
      } else if (next?.name === "arg_type" && !next.isClosing) {
        source.skip(next.raw.length);
        let type = "";
        const end = yield* this.#readLabel(next, (text) => (type = text));
        if (end) return end;
        if (type === "string" || type === "str") form = "string";
        else if (!this.#parts.parameters.includes(key)) form = "json";
      } else if (tag.name === "|tool_arg:start|" || next) {
        return "broken";
      } else {
        return yield* this.#value({ ...tag, name: "arg_value", raw: "", isClosing: false }, addPiece, { key, form });
      }
    }
  }

  /** `<arguments>…</arguments>`: JSON, elements, or the text of a single parameter. */
  *#readContainer(tag: Tag): Parser<ElementCallEnd | undefined> {
    const { source } = this.#state;
    const code = yield* skipBlanks(source);
    if (code === OPEN_BRACE) return yield* this.#readObject();
    if (code === LESS_THAN) {
      const child = yield* this.#values.peekTag();
      if (child && isElementCloser(child, tag)) return undefined;
      if (
        child &&
        !child.isClosing &&
        (getParameterKey(child) !== undefined || this.#parts.parameters.includes(child.name))
      )
        return undefined;
      return yield* this.#value(tag, (value) => this.#parts.addPiece({ ...value, form: "element", isGlued: true }));
    }
    return yield* this.#value(tag, ({ text }) => (this.#parts.text = text));
  }

  /** Reads a JSON object with all arguments. */
  *#readObject(): Parser<ElementCallEnd | undefined> {
    const { source } = this.#state;
    const from = source.offset;
    const scan = yield* scanBalanced(source, this.#values.until);
    if (scan === "cut") return "cut";
    if (scan !== "balanced") return "broken";
    this.#parts.setJson({ text: source.getBuffered(from) });
    return undefined;
  }

  /** Reads a name between two markers of the same element. */
  *#readLabel(tag: Tag, storeText: (text: string) => void): Parser<ElementCallEnd | undefined> {
    const { source } = this.#state;
    const text = yield* this.#readShortText();
    if (text === undefined) return (yield* peek(source)) === END ? "cut" : "broken";
    const closeTag = yield* this.#values.peekTag(tag.name);
    if (!closeTag || !isElementCloser(closeTag, tag)) return "broken";
    source.skip(closeTag.raw.length);
    storeText(text);
    return undefined;
  }

  /** Returns the text before the next marker, trimmed; undefined if there is none within the length of a name. */
  *#readShortText(): Parser<string | undefined> {
    const { source } = this.#state;
    const { markerStart } = this.#values;
    const length = yield* measureWhile(source, (code) => code !== markerStart && code !== END, 0, KEY_LIMIT + 1);
    const code = source.code(length);
    if (code === END) source.skip(length);
    if (code !== markerStart) return undefined;
    const text = trimBlanks(source.peekText(length));
    source.skip(length);
    return text;
  }

  /** Reads a raw value. Returns how the call ended if the value's own closer was missing. */
  *#value(
    openTag: Tag,
    storeText: (value: ParameterValue) => void,
    typed: { readonly key?: string; readonly form?: Argument["form"] | "element" } = {},
  ): Parser<ElementCallEnd | undefined> {
    const { key, form } = typed;
    const isStructured =
      form === "json" || (form !== "string" && key !== undefined && this.#parts.acceptsContainer(key));
    const { value, end } = yield* this.#values.readValue(openTag, isStructured);
    if (value) storeText(value);
    return end;
  }

  /** Reads a first parameter whose opener the model omitted: text after the lead token, named by its closer. */
  *#isOpenerElided(): Parser<boolean> {
    const { source } = this.#state;
    if (
      !this.#parts.hasLead ||
      !(yield* matchesLiteral(source, LEAD)) ||
      (yield* peek(source, LEAD.length)) === LESS_THAN
    )
      return false;
    source.skip(LEAD.length);
    const from = source.offset;
    const values = this.#values;
    const closer = yield* findNext(source, LEAD_START, values.until, function* () {
      const tag = yield* values.peekTag();
      return tag?.isClosing && tag;
    });
    if (!closer) return false;
    this.#parts.addPiece({ key: closer.name, text: source.getBuffered(from), form: "raw", isGlued: false });
    source.skip(closer.raw.length);
    return true;
  }
}

const LEAD_START = new StopTable("]");
