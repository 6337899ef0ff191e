// Collects the parts of one call between its markers, and builds the candidate from them.

import { memoize } from "../../../core/async/memoize.ts";
import type { JsonType } from "../../../core/json/jsonTypes.ts";
import {
  type Ambiguity,
  type Argument,
  type CallCandidate,
  createJsonCall,
  createTextCall,
  listCall,
} from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { decodeContainer, decodeElements } from "../../decoders/decodeXml.ts";
import { emptyObject, parseStrictValue, type ValueAt } from "../../decoders/jsonTree.ts";
import { decodeEntities, type Tag } from "../../scanner/Tag.ts";
import { ARGUMENT_CHILDREN, LEAD } from "../../specs/callTags.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { getName } from "./callMarkers.ts";

/** Text between two markers. */
export interface ParameterValue {
  readonly text: string;
  /** True if the closer was missing: a newline before the end of the value belongs to the template. */
  readonly isUnclosed?: boolean | undefined;
}

interface Piece extends ParameterValue {
  readonly key?: string | undefined;
  readonly form: Argument["form"] | "element";
  /** One newline on either side belongs to the template. */
  readonly isGlued: boolean;
}

const CONTAINERS: readonly JsonType[] = ["object", "array"];

export interface CallOpening {
  /** Marker that opened the call; absent if its name alone did. */
  readonly tag?: Tag | undefined;
  readonly name?: string | undefined;
  /** Every tag is preceded by the lead token. */
  readonly hasLead: boolean;
  /** The template writes no newline around values. */
  readonly keepsNewlines?: boolean | undefined;
}

export class CallBuilder {
  readonly tag: Tag | undefined;
  readonly hasLead: boolean;
  name: string | undefined;
  server: string | undefined;
  /** Text that is the value of the only parameter it can be for. */
  text: string | undefined;
  /** Parameters are elements named after their keys, as long as none was written otherwise. */
  usesElements = true;
  readonly #state: ParserState;
  readonly #keepsNewlines: boolean;
  readonly #pieces: Piece[] = [];
  readonly #keys = new Set<string>();
  readonly #containers = new Map<string, boolean>();
  /** A JSON object with all arguments. */
  #json: string | undefined;
  #ambiguity: Ambiguity | undefined;
  #parameters: readonly string[] | undefined;

  constructor(state: ParserState, opening: CallOpening) {
    this.#state = state;
    this.tag = opening.tag;
    this.hasLead = opening.hasLead;
    this.#keepsNewlines = opening.keepsNewlines === true;
    this.name = opening.name ?? (opening.tag && getName(opening.tag));
  }

  /** Records the call's name, or a second one, which makes the call ambiguous. */
  setName(name: string): void {
    this.name ??= name;
    if (name !== this.name) this.#ambiguity = "name";
  }

  /** Records a JSON object with all arguments. */
  setJson({ text }: ParameterValue): void {
    if (this.#json !== undefined && this.#json !== text) this.#ambiguity ??= "arguments";
    this.#json = text;
  }

  /** Returns true if a marker of this name can only repeat the name of the call, and is no argument. */
  isRepeatedKey(key: string): boolean {
    const { parameters } = this;
    const isNamedByChild = this.tag !== undefined && getName(this.tag) === undefined;
    return !parameters.includes(key) && (isNamedByChild || parameters.length > 0);
  }

  addPiece(piece: Piece): undefined {
    this.#pieces.push(piece);
    if (piece.form !== "element") this.usesElements = false;
    if (piece.key !== undefined) this.#keys.add(piece.key);
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The parameters of the called tool; none if its name is not known yet or not offered. */
  get parameters(): readonly string[] {
    if (this.name === undefined) return [];
    this.#parameters ??= this.#state.listParameters(this.#state.resolve(this.#toolName) ?? "");
    return this.#parameters;
  }

  /** A parameter of the tool that has no value yet. */
  expects(key: string): boolean {
    return !this.#keys.has(key) && this.parameters.includes(key);
  }

  /** Returns true if the schema gives this key an object or a list, which JSON or elements could spell. */
  acceptsContainer(key: string | undefined): boolean {
    if (key === undefined) return true;
    return memoize(this.#containers, key, () => CONTAINERS.some((type) => this.#getTypes(key).has(type)));
  }

  /** Returns the candidate; undefined if the call has no name, or a JSON body that cannot be read. */
  candidate(): CallCandidate | undefined {
    const name = this.#toolName;
    const candidate = name === "" ? undefined : (this.#createJsonCall(name) ?? this.#candidate(name));
    const ambiguity = this.#ambiguity ?? (this.#json !== undefined && !this.isEmpty ? "arguments" : undefined);
    return candidate && ambiguity ? { ...candidate, ambiguous: ambiguity } : candidate;
  }

  #candidate(name: string): CallCandidate | undefined {
    const attribute = this.tag?.attributes.get("arguments") ?? this.tag?.attributes.get("input");
    const json = this.#json ?? (attribute || undefined);
    const value = json === undefined ? undefined : decodeJson(json);
    if (json !== undefined) return value && createJsonCall(name, value);
    if (this.isEmpty && this.text !== undefined) return createTextCall(name, this.text.trim());
    const repairs = new Set<string>();
    const list = this.#pieces.flatMap((piece) => this.#readPiece(piece, repairs));
    const wholeObject = this.#findWholeObject(list);
    return wholeObject
      ? { name, arguments: { type: "json", value: wholeObject }, repairs: [...repairs, "unwrapped"] }
      : listCall(name, list, [...repairs]);
  }

  get #toolName(): string {
    const plainName = this.name ?? "";
    if (this.server === undefined) return plainName;
    const spellings = [
      plainName,
      `${this.server}__${plainName}`,
      `mcp__${this.server}__${plainName}`,
      `${this.server}.${plainName}`,
    ];
    return spellings.find((name) => this.#state.callableNames.includes(name)) ?? plainName;
  }

  #getTypes(key: string): ReadonlySet<JsonType> {
    const tool = this.#state.toolSet.tool(this.#state.resolve(this.#toolName) ?? "");
    return tool?.typesOf(key) ?? new Set();
  }

  /** If no offered tool has the name, the marker's own name may be a tool that forwards calls to servers. */
  #createJsonCall(name: string): CallCandidate | undefined {
    const { server, tag } = this;
    if (server === undefined || !tag || this.#state.callableNames.includes(name)) return undefined;
    if (!this.#state.callableNames.includes(tag.name)) return undefined;
    const decoded = this.#json === undefined ? emptyObject : decodeJson(this.#json);
    if (!decoded) return undefined;
    const value = parseStrictValue(
      `{"server_name":${JSON.stringify(server)},"tool_name":${JSON.stringify(name)},"arguments":${decoded.text}}`,
    );
    return value && { name: tag.name, arguments: { type: "json", value }, repairs: decoded.repairs };
  }

  /** `<parameter name="arguments">{…}</parameter>`: all arguments in one, if the tool has no such parameter. */
  #findWholeObject(list: readonly Argument[]): ValueAt | undefined {
    const [onlyArgument, second] = list;
    if (onlyArgument?.key === undefined || second || !ARGUMENT_CHILDREN.has(onlyArgument.key)) return undefined;
    if (this.parameters.length === 0 || this.parameters.includes(onlyArgument.key)) return undefined;
    return onlyArgument.value.trim().startsWith("{") ? decodeJson(onlyArgument.value) : undefined;
  }

  #readPiece({ key, text, form, isGlued, isUnclosed }: Piece, repairs: Set<string>): readonly Argument[] {
    const inner = isGlued && !this.#keepsNewlines ? trimGlue(text) : text;
    const value = unwrapCdata(isUnclosed && inner === text ? text.replace(/\r?\n$/, "") : inner);
    if (form === "element") return this.#readElement(key, value);
    if (form !== "json") return [{ key, value, form }];
    const decoded = decodeJson(value);
    for (const repair of decoded?.repairs ?? []) repairs.add(repair);
    return [{ key, value: decoded?.text ?? value, form: decoded ? "json" : "raw" }];
  }

  #readElement(key: string | undefined, value: string): readonly Argument[] {
    const trimmed = value.trim();
    const isNested = this.hasLead ? trimmed.includes(`${LEAD}<`) : trimmed.startsWith("<") && trimmed.endsWith(">");
    const leadText = this.hasLead ? LEAD : "";
    if (isNested && key === undefined) {
      const members = decodeElements(trimmed, leadText);
      if (members) return members.map(([child, json]) => ({ key: child, value: json, form: "json" as const }));
    } else if (isNested && this.acceptsContainer(key)) {
      const json = decodeContainer(trimmed, leadText);
      if (json !== undefined) return [{ key, value: json, form: "json" }];
    }
    if (trimmed === "" && key !== undefined) {
      const types = this.#getTypes(key);
      if (types.has("object") && !types.has("string")) return [{ key, value: "{}", form: "json" }];
    }
    return [{ key, value: key === undefined || this.hasLead ? value : decodeLeaf(value), form: "raw" }];
  }
}

/** Decodes XML entities of an element's text once, unless it contains raw markup and so was never encoded. */
function decodeLeaf(value: string): string {
  return value.includes("<") ? value : decodeEntities(value);
}

/** A template that writes a value on lines of its own writes both newlines: one on either side is glue, a single one is data. */
function trimGlue(text: string): string {
  const newline = text.startsWith("\r\n") ? "\r\n" : "\n";
  const isGlued = text.length >= 2 * newline.length && text.startsWith(newline) && text.endsWith(newline);
  return isGlued ? text.slice(newline.length, text.length - newline.length) : text;
}

/** A value that is wholly a CDATA section is its content. */
function unwrapCdata(value: string): string {
  const trimmed = value.trim();
  const isWholeSection = trimmed.startsWith("<![CDATA[") && trimmed.indexOf("]]>") === trimmed.length - 3;
  return isWholeSection ? trimmed.slice("<![CDATA[".length, -"]]>".length) : value;
}
