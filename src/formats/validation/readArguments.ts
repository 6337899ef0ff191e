// Converts arguments of the wire to one JSON object, by the tool's parameters if the wire has no types. Validates no values.
import { describeBodyLimit } from "../decoders/bodyLimits.ts";
import type { Argument, CandidateArguments } from "../decoders/CallCandidate.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import {
  emptyObject,
  findMember,
  parseStrictValue,
  parseStringSpan,
  sliceValue,
  type ValueAt,
} from "../decoders/jsonTree.ts";
import { convertText } from "./conversions.ts";
import { nameList } from "./resolveToolName.ts";
import type { PreparedTool } from "./ToolSet.ts";

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
      return readJson(given.value, tool, maxOpened);
    case "list":
      return readList(given.list, tool);
    case "text":
      return readText(given.text, tool);
    case "unreadable":
      return unreadable(given.text);
    default:
      return given satisfies never;
  }
}

/** Number of strings and wrappers around the object that are opened: some encoders quote twice. */
const maxOpened = 2;

function unreadable(text: string): ReadArguments {
  const limit = describeBodyLimit(text);
  return refused(`are no JSON that can be read${limit === undefined ? "" : `; it may be their size: ${limit}`}`);
}

function refused(problem: string): ReadArguments {
  return { type: "refused", problem };
}

function read(value: ValueAt, ...repairs: readonly string[]): ReadArguments {
  return { type: "read", value, repairs };
}

/** Adds the repairs that were made before the result was read. */
function after(repairs: readonly string[], result: ReadArguments): ReadArguments {
  return result.type === "read" ? { ...result, repairs: [...repairs, ...result.repairs] } : result;
}

/** `mayOpen`: strings and wrappers that may still be opened. */
function readJson(value: ValueAt, tool: PreparedTool, mayOpen: number): ReadArguments {
  switch (value.node.kind) {
    case "object":
      return unwrap(value, tool, mayOpen);
    case "null":
      return read(emptyObject);
    case "string":
      return readPacked(parseStringSpan(value.text, value.node), tool, mayOpen);
    case "array":
      return readArray(value, tool);
    default:
      return readLone(value, tool);
  }
}

/** Reads a string that contains the arguments as JSON, or is the value of the only possible parameter. */
function readPacked(content: string, tool: PreparedTool, mayOpen: number): ReadArguments {
  if (content.trim() === "") return read(emptyObject);
  const decoded = mayOpen > 0 && /^\s*[{["]/.test(content) ? decodeJson(content) : undefined;
  return decoded ? after(decoded.repairs, readJson(decoded, tool, mayOpen - 1)) : readText(content, tool);
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

/** Removes repeated keywords of the tool's schema, then a wrapper. */
function unwrap(value: ValueAt, tool: PreparedTool, mayOpen: number): ReadArguments {
  const { text, node } = value;
  const members = node.members.map((member) => [member.key, sliceValue({ text, node: member.value })] as const);
  const own = members.filter(([key, json]) => !tool.isEcho(key, json));
  const rest = own.length < members.length ? buildObject(own) : undefined;
  return rest ? after(["schema-echo"], withoutWrapper(rest, tool, mayOpen)) : withoutWrapper(value, tool, mayOpen);
}

/** Removes a wrapper that is no parameter of the tool: alone, or next to the `name` or `type` of an echo. */
function withoutWrapper(object: ValueAt, tool: PreparedTool, mayOpen: number): ReadArguments {
  const { members } = object.node;
  const wrapper = members.find(({ key }) => wrappers.has(key));
  const isEcho = members.every((one) => one === wrapper || one.key === "name" || one.key === "type");
  const hasOwn = tool.parameters.length === 0 || members.some(({ key }) => tool.has(key));
  const kind = wrapper?.value.kind;
  const mayHold = kind === "object" || kind === "string" || (kind === "null" && tool.needsNone);
  if (!wrapper || hasOwn || !isEcho || !mayHold || mayOpen === 0) return read(object);
  const inner = readJson({ text: object.text, node: wrapper.value }, tool, mayOpen - 1);
  return inner.type === "read" && findMember(object.node, wrapper.key) === wrapper
    ? after(["unwrapped"], inner)
    : read(object);
}

function readArray(array: ValueAt, tool: PreparedTool): ReadArguments {
  const { text } = array;
  const { elements } = array.node;
  const [only, second] = elements;
  const { lone, parameters } = tool;
  // A list that contains the arguments object itself.
  if (only?.kind === "object" && !second && !(lone !== undefined && tool.takes(lone, "array")))
    return read({ text, node: only }, "unwrapped");
  if (lone !== undefined) return readLone(array, tool);
  if (elements.length === 0 && tool.needsNone) return read(emptyObject, "positional");
  if (elements.length !== parameters.length) return refused(`must be one object, got a list of ${elements.length}`);
  const members = elements.map((node, index) => [parameters[index] ?? "", sliceValue({ text, node })] as const);
  return readMembers(members, ["positional"]);
}

/** Any other value is the value of the one parameter it can be for. */
function readLone(value: ValueAt, tool: PreparedTool): ReadArguments {
  const { lone } = tool;
  if (lone === undefined) return refused(`must be one object${expected(tool)}`);
  return readMembers([[lone, sliceValue(value)]], ["single-parameter"]);
}

function expected({ parameters }: PreparedTool): string {
  return parameters.length > 0 ? ` with the parameters ${nameList(parameters, parameters.length)}` : "";
}

/** A parameter's name and the strict JSON text of its value. */
type Member = readonly [name: string, json: string];

function readMembers(members: readonly Member[], repairs: readonly string[]): ReadArguments {
  const object = buildObject(members);
  return object ? after(repairs, read(object)) : refused("are nested too deeply");
}

function buildObject(members: readonly Member[]): ValueAt | undefined {
  return parseStrictValue(`{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`);
}

function readList(list: readonly Argument[], tool: PreparedTool): ReadArguments {
  const named = new Set(list.map((argument) => argument.key));
  const free = tool.parameters.filter((name) => !named.has(name));
  const members: Member[] = [];
  const repairs: string[] = [];
  for (const { key, value, form } of list) {
    if (key !== undefined && form === "json" && tool.isEcho(key, value)) {
      repairs.push("schema-echo");
      continue;
    }
    const name = key ?? free.shift();
    if (name === undefined) return refused(`are more than the tool has parameters${expected(tool)}`);
    const given = { text: form === "json" ? value : JSON.stringify(value), repairs: [] };
    const typed = form === "raw" ? convertText(value, tool.schemaOf(name), tool.schema) : given;
    members.push([name, typed.text]);
    for (const repair of typed.repairs) repairs.push(repair);
    if (key === undefined) repairs.push("positional");
  }
  return readMembers(members, repairs);
}

/** Texts that models write for a call without arguments. */
const nothing: ReadonlySet<string> = new Set(["", "none", "null", "n/a", "{}", "()"]);

function readText(text: string, tool: PreparedTool): ReadArguments {
  const trimmed = text.trim();
  if (nothing.has(trimmed.toLowerCase())) return read(emptyObject);
  const object = trimmed.startsWith("{") ? decodeJson(trimmed) : undefined;
  const lone = tool.loneText;
  // Members of the parameters show that the object is the arguments and not a text value.
  const isMeant = lone === undefined || object?.node.members.some(({ key }) => tool.isLike(key) || wrappers.has(key));
  if (object?.node.kind === "object" && isMeant) return after(object.repairs, unwrap(object, tool, maxOpened));
  // Cut or broken JSON is not accepted as text.
  if (!object && /^\{\s*["']/.test(trimmed)) return unreadable(trimmed);
  if (lone === undefined) return refused(`must be one JSON object${expected(tool)}`);
  const value = convertText(unquote(trimmed) ?? text, tool.schemaOf(lone), tool.schema);
  return readMembers([[lone, value.text]], ["single-parameter", ...value.repairs]);
}

/** The text inside one pair of quotes around all of it. */
function unquote(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const quote = text.charAt(0);
  if (text.length < 2 || !text.endsWith(quote) || inner.includes(quote)) return undefined;
  return quote === '"' || quote === "'" || quote === "`" ? inner : undefined;
}
