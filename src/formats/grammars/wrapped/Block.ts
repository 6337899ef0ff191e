// State of one block: its marker, the bodies that wait for its end, and their result: calls, issues, or text again.
import { type CallCandidate, createJsonCall } from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import type { Parser } from "../../scanner/Source.ts";
import type { Tag } from "../../scanner/Tag.ts";
import { UNGLUED } from "../../specs/callTags.ts";
import type { Dialect } from "../../specs/FormatSpec.ts";
import { findPairFormat, getFormatForForm, WRAPPERS, type WrapperRow } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import { type DecodedBody, decodeBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { describeNamelessCall, findToolForArguments } from "../../validation/fitCall.ts";
import { getName, isNameChild, resolveCallFormat } from "../elements/callMarkers.ts";
import { isCallAnnounced } from "../elements/lookahead.ts";
import { type ElementCall, readElementCall } from "../elements/taggedCall.ts";
import { skipCloser, skipToMark } from "./blockEnds.ts";
import type { NamedBody } from "./namedBody.ts";

/** Opener of a block. */
export interface Wrapper {
  readonly row: WrapperRow;
  /** The marker as it stands at the cursor. */
  readonly raw: string;
  readonly tag?: Tag | undefined;
  /** Every tag of the body is preceded by the lead token. */
  readonly hasLead?: boolean | undefined;
}

/** A call whose JSON or Python body waits for the block's end. */
interface Body {
  readonly from: number;
  readonly to: number;
  readonly name?: string | undefined;
  readonly dialect: Dialect;
}

const FAMILIES: ReadonlyMap<WrapperRow, readonly string[]> = new Map(
  WRAPPERS.map((spec) => [spec, [...[...spec.families.values()].flat(), ...spec.namespaces.values()]]),
);
const LEAD_FAMILY = getFormatForForm("led-elements");
const CALL_DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  (["function", "invoke"] as const).map((name) => [name, name]),
);
const UNREAD = "The body of this tool call is not a JSON object with a name and arguments.";

/** Returns the formats that write this spec's markers. */
function listFormats(spec: WrapperRow): readonly string[] {
  return FAMILIES.get(spec) ?? [];
}

/** Returns true if the model is known to write the markers of this format spec. */
export function isOwn(state: ParserState, spec: WrapperRow): boolean {
  return state.options.formats.some((format) => listFormats(spec).includes(format));
}

/** Returns true if the model also puts the markers of this spec around answers. Then they are neither calls nor text. */
export function isOwnNoise(state: ParserState, spec: WrapperRow): boolean {
  return spec.noisy === true && isOwn(state, spec);
}

export class Block {
  readonly wrapper: Wrapper;
  /** Text since the last call or issue of the block. */
  capture: Capture;
  /** Bodies that wait for the block's end. */
  bodies: Body[] = [];
  readonly #state: ParserState;

  constructor(state: ParserState, wrapper: Wrapper) {
    this.#state = state;
    this.wrapper = wrapper;
    this.capture = new Capture(state);
  }

  /** Returns the format of a body, by its dialect and by the spelling of the block's marker. */
  getFormatId(dialect: Dialect = "json"): string {
    const { row, tag, hasLead } = this.wrapper;
    if (hasLead) return LEAD_FAMILY;
    const namespaceFormat = tag && row.namespaces.get(tag.prefix);
    if (namespaceFormat !== undefined) return namespaceFormat;
    const choice = row.families.get(dialect) ?? row.families.get("json") ?? [];
    return this.#state.options.formats.find((format) => choice.includes(format)) ?? choice[0] ?? row.open;
  }

  /** Formats that share the pairs of a wrapper differ in the text after the name, and in the suffix of their tags. */
  getPairFormatId(isSeparated: boolean, isOnLine: boolean): string {
    const formatId = this.getFormatId("pairs");
    const suffix = this.wrapper.tag?.suffix ?? "";
    if (suffix !== "") return findPairFormat({ suffix }) ?? findPairFormat({ suffix: "*" }) ?? formatId;
    if (isSeparated) return findPairFormat({ name: "separated" }) ?? formatId;
    return (
      (formatId === findPairFormat({ name: "line" }) && !isOnLine && findPairFormat({ name: "inline" })) || formatId
    );
  }

  /** Returns the format of a call that `tag` opened. `lead`: the lead token precedes its marker. */
  #getElementFormatId(tag: Tag, call: ElementCall, lead: boolean): string {
    if (lead) return LEAD_FAMILY;
    if (isNameChild(tag)) return this.getFormatId("element");
    if (tag.name === "function" && call.candidate?.arguments.type === "json") return getFormatForForm("json-element");
    const dialect = getName(tag) === undefined ? "element" : (CALL_DIALECTS.get(tag.name) ?? "element");
    return resolveCallFormat(tag) ?? this.getFormatId(dialect);
  }

  /** Ends the text since the last ending. The block continues after it. */
  #endAndContinue(end: (capture: Capture) => void): true {
    end(this.capture);
    this.capture = new Capture(this.#state);
    return true;
  }

  endAsCalls(candidates: readonly CallCandidate[], formatId: string): true {
    return this.#endAndContinue((capture) => capture.endAsCalls(candidates, formatId));
  }

  /** The text ended in a call; `place` as for a capture. */
  endAsCutCall(cutPosition?: string, formatId = this.getFormatId()): true {
    return this.#endAndContinue((capture) => capture.endAsCutCall(formatId, cutPosition));
  }

  endAsMalformedCall(reason: string, formatId = this.getFormatId()): void {
    this.#endAndContinue((capture) => capture.endAsMalformedCall(reason, formatId));
  }

  /** Ends a capture that exceeds its limit, or with a value that is nested too deeply. Nothing after it is read. */
  endAsOversizedCall(formatId = this.getFormatId()): true {
    this.bodies = [];
    return this.#endAndContinue((capture) => capture.endAsOversizedCall(formatId));
  }

  /** Ends a body with unbalanced brackets. Earlier bodies become calls. */
  endAsUnbalanced(): void {
    this.endAsBodies();
    this.endAsMalformedCall("The body of this tool call is not valid JSON: its brackets do not match.");
  }

  /**
   * Ends a block without a call. Its opener, which ends at `markEnd`, is then text. Exception: at the start of a turn a model's own marker
   * announced a call, and no text up to its closer is an answer. Some models put such markers around answers.
   */
  *rejectBlock(markerEnd: number): Parser<void> {
    const { row } = this.wrapper;
    const { source } = this.#state;
    // If the announced text has already left, only the rest is text.
    const from = Math.max(this.capture.start, markerEnd);
    const isAnnounced = isCallAnnounced(this.#state, listFormats(row)) && !row.noisy && source.bufferStart < markerEnd;
    if (isAnnounced && (yield* skipCloser(this.#state, row))) {
      this.endAsMalformedCall("The body of this tool call is neither JSON nor parameters.");
    } else if (isAnnounced && row.special) {
      source.moveBack(markerEnd);
      this.endAsMalformedCall("A tool call was announced and none followed.");
    } else if (isOwnNoise(this.#state, row) && from === markerEnd) {
      source.moveBack(from);
      this.capture.endAsMarkup();
    } else {
      this.capture.endAsText(from);
    }
  }

  /** Reads a call whose own marker has been consumed, or whose name element stands at the cursor. `lead`: the lead token came first. */
  *readElement(tag: Tag, lead: boolean): Parser<void> {
    const { tag: open, hasLead } = this.wrapper;
    const call = yield* readElementCall(this.#state, {
      tag: isNameChild(tag) ? open : tag,
      hasLead: lead || hasLead === true,
      keepsNewlines: open !== undefined && UNGLUED.has(open.prefix),
    });
    yield* this.#endElementCall(call, this.#getElementFormatId(tag, call, lead));
  }

  /** Reads the pairs after a name. Returns true if the block is over with them. */
  *readPairs({ name, isSeparated, isOnLine }: Extract<NamedBody, { type: "pairs" }>): Parser<boolean> {
    const call = yield* readElementCall(this.#state, { name, hasLead: false });
    yield* this.#endElementCall(call, this.getPairFormatId(isSeparated, isOnLine));
    return call.end !== "broken";
  }

  /** Handles the end of an element's call. */
  *#endElementCall({ wholeCall, end }: ElementCall, formatId: string): Parser<void> {
    if (wholeCall) {
      this.endAsCalls([wholeCall], formatId);
    } else if (end === "cut") {
      this.endAsCutCall(undefined, formatId);
    } else if (this.#state.source.offset >= this.capture.maxOffset) {
      this.endAsOversizedCall(formatId);
    } else {
      yield* skipToMark(this.#state, this.wrapper.row);
      this.endAsMalformedCall(
        "This tool call cannot be read: its name or its parameters are missing or misplaced.",
        formatId,
      );
    }
  }

  /** Reads an array that begins at `from` without its closing bracket as calls. Returns false if it is none. */
  repairUnclosedArray(from: number): boolean {
    const body = this.#state.source.getBuffered(from).trim();
    const decoded = decodeBody(this.#state, body.startsWith("[") ? `${body}]` : body, true);
    if (!decoded) return false;
    const repaired = decoded.candidates.map((one) => ({ ...one, repairs: [...one.repairs, "missing-bracket"] }));
    this.bodies = [];
    return this.endAsCalls(repaired, this.getFormatId());
  }

  /** The bodies that wait become calls, or, since they are one list, one issue if a part of it cannot be read. */
  endAsBodies(): void {
    const { bodies } = this;
    if (bodies.length === 0) return;
    this.bodies = [];
    const candidates: CallCandidate[] = [];
    let formatId: string | undefined;
    for (const { from, to, name, dialect } of bodies) {
      const text = this.#state.source.getBuffered(from, to);
      const read = name === undefined ? decodeBody(this.#state, text, true) : decodeHeadedBody(name, text);
      if (!read) {
        this.#endAsUnreadable(text);
        return;
      }
      formatId ??= this.getFormatId(name === undefined && read.grammar === "python" ? "python" : dialect);
      for (const candidate of read.candidates) candidates.push(candidate);
    }
    if (candidates.length > 0) this.endAsCalls(candidates, formatId ?? this.getFormatId());
  }

  /** A body that is no call; arguments without a name can only be meant for the tool that they fit. */
  #endAsUnreadable(body: string): void {
    const json = decodeJson(body);
    const tool = json && findToolForArguments(json, this.#state.options.tools);
    if (tool === undefined) {
      this.endAsMalformedCall(UNREAD);
      return;
    }
    const message = describeNamelessCall(tool);
    this.#endAndContinue((capture) =>
      capture.endAsIssue({ code: "malformed-call", message, family: this.getFormatId(), tool }),
    );
  }
}

/** Returns the arguments of a call whose name precedes them. */
function decodeHeadedBody(name: string, text: string): DecodedBody | undefined {
  const value = decodeJson(text);
  return value && { candidates: [createJsonCall(name, value)], grammar: "json" };
}
