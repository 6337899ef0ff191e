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
  readonly lead?: boolean | undefined;
}

/** A call whose JSON or Python body waits for the block's end. */
interface Body {
  readonly from: number;
  readonly to: number;
  readonly name?: string | undefined;
  readonly dialect: Dialect;
}

const FAMILIES: ReadonlyMap<WrapperRow, readonly string[]> = new Map(
  WRAPPERS.map((row) => [row, [...[...row.families.values()].flat(), ...row.namespaces.values()]]),
);
const LEAD_FAMILY = getFormatForForm("led-elements");
const CALL_DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  (["function", "invoke"] as const).map((name) => [name, name]),
);
const UNREAD = "The body of this tool call is not a JSON object with a name and arguments.";

/** Returns the formats that write this spec's markers. */
function listFormats(row: WrapperRow): readonly string[] {
  return FAMILIES.get(row) ?? [];
}

/** Returns true if the model is known to write the markers of this format spec. */
export function isOwn(turn: ParserState, row: WrapperRow): boolean {
  return turn.options.formats.some((format) => listFormats(row).includes(format));
}

/** Returns true if the model also puts the markers of this spec around answers. Then they are neither calls nor text. */
export function isOwnNoise(turn: ParserState, row: WrapperRow): boolean {
  return row.noisy === true && isOwn(turn, row);
}

export class Block {
  readonly open: Wrapper;
  /** Text since the last call or issue of the block. */
  capture: Capture;
  /** Bodies that wait for the block's end. */
  bodies: Body[] = [];
  readonly #turn: ParserState;

  constructor(turn: ParserState, open: Wrapper) {
    this.#turn = turn;
    this.open = open;
    this.capture = new Capture(turn);
  }

  /** Returns the format of a body, by its dialect and by the spelling of the block's marker. */
  family(dialect: Dialect = "json"): string {
    const { row, tag, lead } = this.open;
    if (lead) return LEAD_FAMILY;
    const named = tag && row.namespaces.get(tag.prefix);
    if (named !== undefined) return named;
    const choice = row.families.get(dialect) ?? row.families.get("json") ?? [];
    return this.#turn.options.formats.find((format) => choice.includes(format)) ?? choice[0] ?? row.open;
  }

  /** Formats that share the pairs of a wrapper differ in the text after the name, and in the suffix of their tags. */
  familyOfPairs(separated: boolean, onLine: boolean): string {
    const family = this.family("pairs");
    const suffix = this.open.tag?.suffix ?? "";
    if (suffix !== "") return findPairFormat({ suffix }) ?? findPairFormat({ suffix: "*" }) ?? family;
    if (separated) return findPairFormat({ name: "separated" }) ?? family;
    return (family === findPairFormat({ name: "line" }) && !onLine && findPairFormat({ name: "inline" })) || family;
  }

  /** Returns the format of a call that `tag` opened. `lead`: the lead token precedes its marker. */
  #familyOfElement(tag: Tag, call: ElementCall, lead: boolean): string {
    if (lead) return LEAD_FAMILY;
    if (isNameChild(tag)) return this.family("element");
    if (tag.name === "function" && call.candidate?.arguments.type === "json") return getFormatForForm("json-element");
    const dialect = getName(tag) === undefined ? "element" : (CALL_DIALECTS.get(tag.name) ?? "element");
    return resolveCallFormat(tag) ?? this.family(dialect);
  }

  /** Ends the text since the last ending. The block continues after it. */
  #next(end: (capture: Capture) => void): true {
    end(this.capture);
    this.capture = new Capture(this.#turn);
    return true;
  }

  calls(candidates: readonly CallCandidate[], family: string): true {
    return this.#next((capture) => capture.calls(candidates, family));
  }

  /** The text ended in a call; `place` as for a capture. */
  cut(place?: string, family = this.family()): true {
    return this.#next((capture) => capture.cut(family, place));
  }

  malformed(why: string, family = this.family()): void {
    this.#next((capture) => capture.malformed(why, family));
  }

  /** Ends a capture that exceeds its limit, or with a value that is nested too deeply. Nothing after it is read. */
  overlong(family = this.family()): true {
    this.bodies = [];
    return this.#next((capture) => capture.refused(family));
  }

  /** Ends a body with unbalanced brackets. Earlier bodies become calls. */
  unbalanced(): void {
    this.settle();
    this.malformed("The body of this tool call is not valid JSON: its brackets do not match.");
  }

  /**
   * Ends a block without a call. Its opener, which ends at `markEnd`, is then text. Exception: at the start of a turn a model's own marker
   * announced a call, and no text up to its closer is an answer. Some models put such markers around answers.
   */
  *refute(markEnd: number): Parser<void> {
    const { row } = this.open;
    const { source } = this.#turn;
    // If the announced text has already left, only the rest is text.
    const from = Math.max(this.capture.start, markEnd);
    const announced = isCallAnnounced(this.#turn, listFormats(row)) && !row.noisy && source.heldFrom < markEnd;
    if (announced && (yield* skipCloser(this.#turn, row))) {
      this.malformed("The body of this tool call is neither JSON nor parameters.");
    } else if (announced && row.special) {
      source.back(markEnd);
      this.malformed("A tool call was announced and none followed.");
    } else if (isOwnNoise(this.#turn, row) && from === markEnd) {
      source.back(from);
      this.capture.drop();
    } else {
      this.capture.words(from);
    }
  }

  /** Reads a call whose own marker has been consumed, or whose name element stands at the cursor. `lead`: the lead token came first. */
  *element(tag: Tag, lead: boolean): Parser<void> {
    const { tag: open, lead: led } = this.open;
    const call = yield* readElementCall(this.#turn, {
      tag: isNameChild(tag) ? open : tag,
      lead: lead || led === true,
      unglued: open !== undefined && UNGLUED.has(open.prefix),
    });
    yield* this.#ended(call, this.#familyOfElement(tag, call, lead));
  }

  /** Reads the pairs after a name. Returns true if the block is over with them. */
  *pairs({ name, separated, onLine }: Extract<NamedBody, { type: "pairs" }>): Parser<boolean> {
    const call = yield* readElementCall(this.#turn, { name, lead: false });
    yield* this.#ended(call, this.familyOfPairs(separated, onLine));
    return call.end !== "broken";
  }

  /** Handles the end of an element's call. */
  *#ended({ whole, end }: ElementCall, family: string): Parser<void> {
    if (whole) {
      this.calls([whole], family);
    } else if (end === "cut") {
      this.cut(undefined, family);
    } else if (this.#turn.source.offset >= this.capture.until) {
      this.overlong(family);
    } else {
      yield* skipToMark(this.#turn, this.open.row);
      this.malformed("This tool call cannot be read: its name or its parameters are missing or misplaced.", family);
    }
  }

  /** Reads an array that begins at `from` without its closing bracket as calls. Returns false if it is none. */
  mend(from: number): boolean {
    const body = this.#turn.source.held(from).trim();
    const decoded = decodeBody(this.#turn, body.startsWith("[") ? `${body}]` : body, true);
    if (!decoded) return false;
    const repaired = decoded.candidates.map((one) => ({ ...one, repairs: [...one.repairs, "missing-bracket"] }));
    this.bodies = [];
    return this.calls(repaired, this.family());
  }

  /** The bodies that wait become calls, or, since they are one list, one issue if a part of it cannot be read. */
  settle(): void {
    const { bodies } = this;
    if (bodies.length === 0) return;
    this.bodies = [];
    const candidates: CallCandidate[] = [];
    let family: string | undefined;
    for (const { from, to, name, dialect } of bodies) {
      const text = this.#turn.source.held(from, to);
      const read = name === undefined ? decodeBody(this.#turn, text, true) : headedBody(name, text);
      if (!read) {
        this.#unread(text);
        return;
      }
      family ??= this.family(name === undefined && read.grammar === "python" ? "python" : dialect);
      for (const candidate of read.candidates) candidates.push(candidate);
    }
    if (candidates.length > 0) this.calls(candidates, family ?? this.family());
  }

  /** A body that is no call; arguments without a name can only be meant for the tool that they fit. */
  #unread(body: string): void {
    const json = decodeJson(body);
    const tool = json && findToolForArguments(json, this.#turn.options.tools);
    if (tool === undefined) {
      this.malformed(UNREAD);
      return;
    }
    const message = describeNamelessCall(tool);
    this.#next((capture) => capture.issue({ code: "malformed-call", message, family: this.family(), tool }));
  }
}

/** Returns the arguments of a call whose name precedes them. */
function headedBody(name: string, text: string): DecodedBody | undefined {
  const value = decodeJson(text);
  return value && { candidates: [createJsonCall(name, value)], grammar: "json" };
}
