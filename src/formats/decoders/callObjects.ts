// Converts JSON objects, in their many spellings of a call, to candidates with verbatim arguments.
import { type Ambiguity, type CallCandidate, type CandidateArguments, maxListedCalls } from "./CallCandidate.ts";
import {
  emptyObject,
  findMember,
  type JsonMember,
  type JsonNode,
  parseStringSpan,
  sliceValue,
  type ValueAt,
} from "./jsonTree.ts";

export interface CallObjectOptions {
  /** Returns true if a name, near misses included, is an offered tool. */
  readonly isOffered: (name: string) => boolean;
  /** True if the keys next to an offered name may be its arguments (`{"name": "roll_dice", "sides": 6}`). */
  readonly allowFlat: boolean;
  /** Returns the parameters of a tool. They are arguments even if they have the name of a call's own keys. */
  readonly parameters?: ((name: string) => readonly string[]) | undefined;
  /** True if a single key with an object may be an unknown tool name (`{"NAME": {…}}`), since a marker announced a call. */
  readonly anyName?: boolean | undefined;
}

/**
 * Returns the calls of a JSON value, in its order. Undefined if it is not call-shaped; empty if it is a list of calls without one,
 * or an answer in the form of a call. A list is one unit: with an item that is no call, it has none.
 */
export function readCallObjects(value: ValueAt, options: CallObjectOptions): readonly CallCandidate[] | undefined {
  return new CallReader(value.text, options).read(value.node, maxWrappers);
}

/** Returns the text of a JSON object that answers in the form of a call (`{"action": "Final Answer", "action_input": …}`), or undefined. */
export function readAnswerObject(object: ValueAt): string | undefined {
  const value = readAnswerValue(object);
  return value && readAnswerWords(value);
}

/** Returns the answer text of a JSON value: a string itself, the string of an object with one string, else the JSON. */
export function readAnswerWords({ text, node }: ValueAt): string {
  if (node.kind === "string") return parseStringSpan(text, node);
  const [only, second] = node.members;
  if (node.kind === "object" && !only) return "";
  return only?.value.kind === "string" && !second ? parseStringSpan(text, only.value) : sliceValue({ text, node });
}

/** Returns the answer value of such an object; an empty string if it has none. */
export function readAnswerValue({ text, node: root }: ValueAt): ValueAt | undefined {
  const node = root.kind === "array" && root.elements.length === 1 ? root.elements[0] : root;
  if (node?.kind !== "object") return undefined;
  const [first] = node.members;
  if (node.members.length === 1 && first?.key === "response" && first.value.kind === "string")
    return { text, node: first.value };
  if (!findMembers(node, NAME_KEYS).some((member) => isAnswerName(readMemberText(text, member)))) return undefined;
  const [givenMember] = findMembers(node, ARGUMENT_KEYS);
  return givenMember ? { text, node: givenMember.value } : emptyString;
}

const emptyString: ValueAt = { text: '""', node: { kind: "string", start: 0, end: 2, members: [], elements: [] } };

/** Keys of a call object that may contain the tool's name, and those that may contain its arguments. */
export const NAME_KEYS = ["name", "function", "tool", "tool_name", "function_name", "action", "recipient_name", "func"];
export const ARGUMENT_KEYS = [
  "arguments",
  "parameters",
  "args",
  "input",
  "action_input",
  "tool_input",
  "params",
  "kwargs",
  "parameter",
];
const ID_KEYS = ["id", "tool_call_id", "call_id"];

/** Keys under which other JSON puts the call itself. */
const wrapperKeys = [
  "tool_calls",
  "tool_uses",
  "function_calls",
  "calls",
  "tool_call",
  "function_call",
  "function",
  "action",
  "command",
];

/** Keys of a call object that are never arguments. */
const asideKeys: ReadonlySet<string> = new Set(["thought", "thoughts", "reasoning", "index"]);

/** Values of `type` in a call of the wire. */
const typeMarks: ReadonlySet<string> = new Set(["function", "function_call", "tool_use", "tool_call"]);

/** Wrappers inside wrappers that are opened. */
const maxWrappers = 6;

/** Wrappers that are opened inside the arguments of a tool that calls several tools. */
const maxParallel = 3;

/** The tool that some models were trained to call several tools with. */
export const parallelNames: ReadonlySet<string> = new Set([
  "multi_tool_use.parallel",
  "multi_tool_use_parallel",
  "parallel",
]);

/** Names of tools that no one offers: to call them is to answer. */
const answerNames: ReadonlySet<string> = new Set(["final answer", "__conversational response", "directly answer"]);

function isAnswerName(name: string | undefined): boolean {
  const words = name?.trim().toLowerCase() ?? "";
  return answerNames.has(words.replace(/(?<=[a-z])[-_]/g, " "));
}

function readMemberText(text: string, member: JsonMember | undefined): string | undefined {
  return member?.value.kind === "string" ? parseStringSpan(text, member.value) : undefined;
}

/** Returns the members with those keys, in the order of the keys. */
function findMembers(node: JsonNode, keys: readonly string[]): readonly JsonMember[] {
  return keys.flatMap((key) => findMember(node, key) ?? []);
}

class CallReader {
  readonly #text: string;
  readonly #options: CallObjectOptions;

  constructor(text: string, options: CallObjectOptions) {
    this.#text = text;
    this.#options = options;
  }

  read(node: JsonNode, wrappers: number): readonly CallCandidate[] | undefined {
    if (wrappers === 0) return undefined;
    if (node.kind === "array") return this.#pair(node) ?? this.#list(node, wrappers);
    return node.kind === "object" ? this.#object(node, wrappers) : undefined;
  }

  #list(node: JsonNode, wrappers: number): readonly CallCandidate[] | undefined {
    if (node.elements.length > maxListedCalls) return undefined;
    const read = node.elements.map((element) => this.read(element, wrappers - 1));
    const isList = read.length > 0 && read.every((calls) => calls !== undefined);
    return isList ? read.flatMap((calls) => calls ?? []) : undefined;
  }

  /** `["NAME", {…}]` */
  #pair(node: JsonNode): readonly CallCandidate[] | undefined {
    const [first, second, third] = node.elements;
    if (first?.kind !== "string" || second?.kind !== "object" || third) return undefined;
    const name = parseStringSpan(this.#text, first);
    return this.#options.isOffered(name) ? [{ name, arguments: this.#json(second), repairs: [] }] : undefined;
  }

  #object(node: JsonNode, wrappers: number): readonly CallCandidate[] | undefined {
    if (isDefinition(node)) return undefined;
    return this.#named(node) ?? this.#wrapped(node, wrappers) ?? this.#keyed(node);
  }

  #named(node: JsonNode): readonly CallCandidate[] | undefined {
    const names = NAME_KEYS.flatMap((key) =>
      node.members.filter((one) => one.key === key && this.#textOf(one) !== undefined),
    );
    const named = names.find((member) => this.#options.isOffered(this.#textOf(member) ?? "")) ?? names[0];
    const name = this.#textOf(named);
    if (!named || name === undefined) return undefined;
    const isOffered = this.#options.isOffered(name);
    if (!isOffered && isAnswerName(name)) return [];
    const [givenMember] = !isOffered && parallelNames.has(name) ? findMembers(node, ARGUMENT_KEYS) : [];
    const parts = givenMember && this.read(givenMember.value, maxParallel);
    if (parts) return parts;
    const read = this.#arguments(node, named, isOffered);
    const doubt = read && this.#doubt(node, { named, name, read });
    return read && [{ name, id: this.#id(node), arguments: read, repairs: [], ...(doubt && { ambiguous: doubt }) }];
  }

  #textOf(member: JsonMember | undefined): string | undefined {
    return readMemberText(this.#text, member);
  }

  /** Returns the part of a call that the object contains twice with different values, if any. */
  #doubt(
    node: JsonNode,
    { named, name, read }: { readonly named: JsonMember; readonly name: string; readonly read: CandidateArguments },
  ): Ambiguity | undefined {
    const parameters = read.type === "list" ? (this.#options.parameters?.(name) ?? []) : [];
    const others = node.members.filter((member) => member !== named && !parameters.includes(member.key));
    if (others.some((member) => this.#namesAnother(member, name))) return "name";
    const givenMember = others.filter((one) => ARGUMENT_KEYS.includes(one.key) && !isNull(one));
    return new Set(givenMember.map((one) => this.#slice(one.value))).size > 1 ? "arguments" : undefined;
  }

  /** `{"name": "f", "tool": "g"}`, `{"name": "f", "function": {"name": "g", …}}` */
  #namesAnother({ key, value }: JsonMember, name: string): boolean {
    if (NAME_KEYS.includes(key) && value.kind === "string") {
      const other = parseStringSpan(this.#text, value);
      return other !== name && (key !== "action" || this.#options.isOffered(other));
    }
    if (!wrapperKeys.includes(key) || value.kind !== "object") return false;
    const inner = this.#textOf(findMember(value, "name"));
    return inner !== undefined && inner !== name && this.#options.isOffered(inner);
  }

  #arguments(node: JsonNode, named: JsonMember, isOffered: boolean): CandidateArguments | undefined {
    const mayBeFlat = isOffered && this.#options.allowFlat;
    const rest = node.members.filter((one) => one !== named && !asideKeys.has(one.key) && !this.#isTypeMark(one));
    const all = findMembers(node, ARGUMENT_KEYS).filter((member) => member !== named);
    const givenMember = all.find((member) => !isNull(member)) ?? all[0];
    const others = rest.filter((member) => member.key !== givenMember?.key && !ID_KEYS.includes(member.key));
    const isWhole = givenMember?.value.kind === "object" || others.length === 0;
    if (givenMember && (isWhole || !mayBeFlat)) return this.#json(givenMember.value);
    if (!mayBeFlat) return others.length === 0 && isOffered ? { type: "json", value: emptyObject } : undefined;
    const list = rest.map(({ key, value }) => ({ key, value: this.#slice(value), form: "json" as const }));
    return { type: "list", list };
  }

  /** `{"type": "function", …}` marks a call of the wire and is no argument. */
  #isTypeMark(member: JsonMember): boolean {
    return member.key === "type" && typeMarks.has(this.#textOf(member) ?? "");
  }

  #id(node: JsonNode): string | undefined {
    return findMembers(node, ID_KEYS)
      .map((member) => this.#textOf(member))
      .find((id) => id);
  }

  #wrapped(node: JsonNode, wrappers: number): readonly CallCandidate[] | undefined {
    for (const key of wrapperKeys) {
      const member = findMember(node, key);
      if (member?.value.kind === "array" && member.value.elements.length === 0 && key === "tool_calls") return [];
      const calls = member && this.read(member.value, wrappers - 1);
      if (!calls) continue;
      // The id of `{"id": …, "function": {…}}` stands outside the call.
      const id = this.#id(node);
      return id === undefined || calls.length !== 1 ? calls : calls.map((call) => ({ ...call, id: call.id ?? id }));
    }
    return undefined;
  }

  /** Reads `{"NAME": {…}, …}` if each key is an offered tool. */
  #keyed(node: JsonNode): readonly CallCandidate[] | undefined {
    const lone = this.#options.anyName === true && node.members.length === 1;
    const fit = node.members.every(
      ({ key, value }) =>
        value.kind === "object" && (this.#options.isOffered(key) || (lone && !ARGUMENT_KEYS.includes(key))),
    );
    if (!fit || node.members.length === 0) return undefined;
    return node.members.map((member) => ({ name: member.key, arguments: this.#json(member.value), repairs: [] }));
  }

  #json(node: JsonNode): CandidateArguments {
    return { type: "json", value: { text: this.#text, node } };
  }

  #slice(node: JsonNode): string {
    return this.#text.slice(node.start, node.end);
  }
}

function isNull({ value }: JsonMember): boolean {
  return value.kind === "null";
}

/** Returns true for a repeated tool definition, which has a schema in the position of the arguments. */
function isDefinition(node: JsonNode): boolean {
  const inner = findMember(node, "function")?.value;
  const parameters = (findMember(node, "parameters") ?? (inner && findMember(inner, "parameters")))?.value;
  if (parameters?.kind !== "object") return false;
  const properties = findMember(parameters, "properties")?.value;
  if (findMember(parameters, "type")?.value.kind !== "string" || properties?.kind !== "object") return false;
  return properties.members.every((one) => one.value.kind === "object");
}
