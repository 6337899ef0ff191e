// Arguments as the wire had them → one JSON object, by the tool's parameters where the wire left them untyped. Checks no values.
import type { JsonValue } from "../../core/messages.ts";
import { bodyLimitWords } from "../bodies/bodyLimits.ts";
import type { Argument, CandidateArguments } from "../bodies/CallCandidate.ts";
import { decodeJson } from "../bodies/decodeJson.ts";
import {
  emptyObject,
  type JsonNode,
  memberOf,
  sliceOf,
  strictValue,
  stringAt,
  type ValueAt,
} from "../bodies/jsonSpans.ts";
import { type JsonText, valueOfText } from "./conversions.ts";
import type { PreparedTool } from "./offer.ts";
import type { PreparedSchema } from "./PreparedSchema.ts";
import { nameList } from "./resolveName.ts";

export type ReadArguments =
  /** `value` is an object. */
  | { readonly type: "read"; readonly value: ValueAt; readonly repairs: readonly string[] }
  /** `problem` continues "The arguments of NAME …". */
  | { readonly type: "refused"; readonly problem: string };

export function readArguments(
  given: Exclude<CandidateArguments, { type: "oversized" }>,
  tool: PreparedTool,
): ReadArguments {
  switch (given.type) {
    case "json":
      return readJson(given.value, { tool, repairs: [], mayOpen: maxOpened });
    case "list":
      return readList(given.list, tool);
    case "text":
      return readText(given.text, tool);
    case "unreadable":
      return refused(unreadableWords(given.text));
    default:
      return given satisfies never;
  }
}

/** How many strings around the object are opened: encoders that quote twice occur. */
const maxOpened = 2;

function unreadableWords(text: string): string {
  const limit = bodyLimitWords(text);
  return limit === undefined
    ? "are no JSON that can be read"
    : `are no JSON that can be read; it may be their size: ${limit}`;
}

function refused(problem: string): ReadArguments {
  return { type: "refused", problem };
}

function read(value: ValueAt, repairs: readonly string[]): ReadArguments {
  return { type: "read", value, repairs };
}

interface Reading {
  readonly tool: PreparedTool;
  /** What was mended so far. */
  readonly repairs: readonly string[];
  /** Strings and wrappers that may still be opened. */
  readonly mayOpen: number;
}

function readJson(value: ValueAt, reading: Reading): ReadArguments {
  switch (value.node.kind) {
    case "object":
      return unwrap(value, reading);
    case "null":
      return read(emptyObject, reading.repairs);
    case "string":
      return readPacked(stringAt(value.text, value.node), reading);
    case "array":
      return readArray(value, reading);
    default:
      return readLone(value, reading);
  }
}

/** A string that holds the arguments as JSON, or is the value of the one parameter it can be for. */
function readPacked(content: string, reading: Reading): ReadArguments {
  const { tool, repairs, mayOpen } = reading;
  if (content.trim() === "") return read(emptyObject, repairs);
  const decoded = mayOpen > 0 && /^\s*[{["]/.test(content) ? decodeJson(content) : undefined;
  if (!decoded) return withRepairs(readText(content, tool), repairs);
  return readJson(decoded, { tool, repairs: [...repairs, ...decoded.repairs], mayOpen: mayOpen - 1 });
}

function withRepairs(result: ReadArguments, repairs: readonly string[]): ReadArguments {
  return result.type === "read" ? read(result.value, [...repairs, ...result.repairs]) : result;
}

/** Keys that models put around the arguments though the wire has its own place for them. */
const wrappers: ReadonlySet<string> = new Set([
  "arguments",
  "parameters",
  "parameter",
  "params",
  "args",
  "kwargs",
  "input",
  "inputs",
  "action_input",
  "tool_input",
  "properties",
]);

/** Takes out what repeats the tool's schema, then a wrapper. */
function unwrap(value: ValueAt, reading: Reading): ReadArguments {
  const { text, node } = value;
  const members = node.members.map((member) => [member.key, sliceOf({ text, node: member.value })] as const);
  const own = members.filter(([key, json]) => !reading.tool.isEcho(key, json));
  const rest = own.length < members.length ? strictValue(jsonOfObject(own)) : undefined;
  return rest
    ? withoutWrapper(rest, { ...reading, repairs: [...reading.repairs, "schema-echo"] })
    : withoutWrapper(value, reading);
}

/** Takes off a wrapper that is no parameter of the tool: alone, or beside the `name` or `type` of an echo. */
function withoutWrapper(object: ValueAt, reading: Reading): ReadArguments {
  const { tool, repairs, mayOpen } = reading;
  const { text, node } = object;
  const strangers = node.members.filter((member) => !tool.has(member.key));
  const [wrapper] = strangers.filter((member) => wrappers.has(member.key));
  const isEcho = strangers.every((member) => member === wrapper || member.key === "name" || member.key === "type");
  const kind = wrapper?.value.kind;
  const mayHold = kind === "object" || kind === "string" || (kind === "null" && tool.needsNone);
  if (
    !wrapper ||
    strangers.length < node.members.length ||
    !isEcho ||
    !mayHold ||
    mayOpen === 0 ||
    tool.parameters.length === 0
  ) {
    return read(object, repairs);
  }
  const inner = readJson({ text, node: wrapper.value }, { tool, repairs: [], mayOpen: mayOpen - 1 });
  return inner.type === "read" && memberOf(node, wrapper.key) === wrapper
    ? withRepairs(inner, [...repairs, "unwrapped"])
    : read(object, repairs);
}

function readArray(array: ValueAt, reading: Reading): ReadArguments {
  const { tool, repairs } = reading;
  const { text, node } = array;
  const [only, second] = node.elements;
  // A list that holds the arguments object itself.
  if (only?.kind === "object" && second === undefined && !(tool.lone !== undefined && tool.takes(tool.lone, "array"))) {
    return read({ text, node: only }, [...repairs, "unwrapped"]);
  }
  if (tool.lone !== undefined) return readLone(array, reading);
  if (node.elements.length === 0 && tool.needsNone) return read(emptyObject, [...repairs, "positional"]);
  if (node.elements.length !== tool.parameters.length)
    return refused(`must be one object, got a list of ${node.elements.length}`);
  const members = node.elements.map(
    (one, index) => [tool.parameters[index] ?? "", sliceOf({ text, node: one })] as const,
  );
  return readMembers(members, [...repairs, "positional"]);
}

/** Any other value is the value of the one parameter it can be for. */
function readLone(value: ValueAt, { tool, repairs }: Reading): ReadArguments {
  const { lone } = tool;
  if (lone === undefined) return refused(`must be one object${expected(tool)}`);
  return readMembers([[lone, sliceOf(value)]], [...repairs, "single-parameter"]);
}

function expected(tool: PreparedTool): string {
  const names = tool.parameters;
  return names.length > 0 ? ` with the parameters ${nameList(names, names.length)}` : "";
}

/** A parameter's name and the strict JSON text of its value. */
type Member = readonly [name: string, json: string];

function readMembers(members: readonly Member[], repairs: readonly string[]): ReadArguments {
  const object = strictValue(jsonOfObject(members));
  return object ? read(object, repairs) : refused("are nested too deeply");
}

function jsonOfObject(members: readonly Member[]): string {
  return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

function readList(list: readonly Argument[], tool: PreparedTool): ReadArguments {
  const named = new Set(list.map((argument) => argument.key));
  const free = tool.parameters.filter((name) => !named.has(name));
  const members: Member[] = [];
  const repairs: string[] = [];
  for (const argument of list) {
    if (isEchoed(argument, tool)) {
      repairs.push("schema-echo");
      continue;
    }
    const key = argument.key ?? free.shift();
    if (key === undefined) return refused(`are more than the tool has parameters${expected(tool)}`);
    const value = typedValue(argument, tool.schemaOf(key), tool.schema);
    members.push([key, value.text]);
    repairs.push(...value.repairs, ...(argument.key === undefined ? ["positional"] : []));
  }
  return readMembers(members, repairs);
}

function isEchoed({ key, form, value }: Argument, tool: PreparedTool): boolean {
  return key !== undefined && form === "json" && tool.isEcho(key, value);
}

function typedValue(argument: Argument, schema: JsonValue | undefined, prepared: PreparedSchema): JsonText {
  if (argument.form === "json") return { text: argument.value, repairs: [] };
  if (argument.form === "string") return { text: JSON.stringify(argument.value), repairs: [] };
  return valueOfText(argument.value, schema, prepared);
}

/** Words that models write where a tool is to be called without arguments. */
const nothing: ReadonlySet<string> = new Set(["", "none", "null", "n/a", "{}", "()"]);

function readText(text: string, tool: PreparedTool): ReadArguments {
  const trimmed = text.trim();
  if (nothing.has(trimmed.toLowerCase())) return read(emptyObject, []);
  const object = trimmed.startsWith("{") ? decodeJson(trimmed) : undefined;
  if (object?.node.kind === "object" && isForParameters(object.node, tool)) {
    return unwrap(object, { tool, repairs: object.repairs, mayOpen: maxOpened });
  }
  // Cut or broken JSON is no text for anybody.
  if (!object && /^\{\s*["']/.test(trimmed)) return refused(unreadableWords(trimmed));
  const lone = tool.loneText;
  if (lone === undefined) return refused(`must be one JSON object${expected(tool)}`);
  const value = valueOfText(unquote(trimmed) ?? text, tool.schemaOf(lone), tool.schema);
  return readMembers([[lone, value.text]], ["single-parameter", ...value.repairs]);
}

/** Whether an object is the arguments, and no text that happens to be one. */
function isForParameters(root: JsonNode, tool: PreparedTool): boolean {
  if (tool.loneText === undefined) return true;
  return root.members.some(({ key }) => tool.isLike(key) || wrappers.has(key));
}

/** The text inside one pair of quotes around all of it. */
function unquote(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const quote = text.charAt(0);
  if (text.length < 2 || !text.endsWith(quote) || inner.includes(quote)) return undefined;
  return quote === '"' || quote === "'" || quote === "`" ? inner : undefined;
}
