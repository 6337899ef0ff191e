// Arguments as the wire had them → the JSON text of one object, by the tool's parameters where the wire left them untyped. Checks no values.
import type { JsonValue } from "../../core/messages.ts";
import { bodyLimitWords } from "../bodies/bodyLimits.ts";
import type { Argument, CandidateArguments } from "../bodies/CallCandidate.ts";
import { type DecodedJson, decodeJson } from "../bodies/decodeJson.ts";
import { type JsonNode, memberOf, spansOf, stringAt } from "../bodies/jsonSpans.ts";
import { coerceText } from "./coerceText.ts";
import { nameList } from "./nameList.ts";
import type { Parameters } from "./Parameters.ts";
import type { SchemaReader } from "./schemaTypes.ts";

export type ReadArguments =
  /** `text` is strict JSON of an object. */
  | { readonly type: "read"; readonly text: string; readonly repairs: readonly string[] }
  /** `problem` continues "The arguments of NAME …". */
  | { readonly type: "refused"; readonly problem: string };

export function readArguments(
  given: Exclude<CandidateArguments, { type: "oversized" }>,
  parameters: Parameters,
): ReadArguments {
  switch (given.type) {
    case "json":
      return readJson(given.text, parameters, maxOpened);
    case "list":
      return readList(given.list, parameters);
    case "text":
      return readText(given.text, parameters);
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

function read(text: string, repairs: readonly string[]): ReadArguments {
  return { type: "read", text, repairs };
}

function readJson(text: string, parameters: Parameters, mayOpen: number): ReadArguments {
  if (text.trim() === "") return read("{}", []);
  const decoded = decodeJson(text);
  const root = decoded && spansOf(decoded.text);
  if (!decoded || !root) return refused(unreadableWords(text));
  const { repairs } = decoded;
  if (root.kind === "object") return unwrap(decoded.text, root, { parameters, repairs, mayOpen });
  if (root.kind === "null") return read("{}", repairs);
  if (root.kind === "string") return readPacked(stringAt(decoded.text, root), parameters, { repairs, mayOpen });
  if (root.kind === "array") return readArray(decoded.text, root, { parameters, repairs });
  return readLone(decoded.text, parameters, repairs);
}

interface Packed {
  readonly repairs: readonly string[];
  readonly mayOpen: number;
}

/** A string that holds the arguments as JSON, or is the value of the one parameter it can be for. */
function readPacked(content: string, parameters: Parameters, packed: Packed): ReadArguments {
  const decoded = packed.mayOpen > 0 && /^\s*[{["]/.test(content) ? decodeJson(content) : undefined;
  if (!decoded && content.trim() !== "") return withRepairs(readText(content, parameters), packed.repairs);
  const inner = decoded ? readJson(decoded.text, parameters, packed.mayOpen - 1) : read("{}", []);
  return withRepairs(inner, [...packed.repairs, ...(decoded?.repairs ?? [])]);
}

function withRepairs(result: ReadArguments, repairs: readonly string[]): ReadArguments {
  return result.type === "read" ? read(result.text, [...repairs, ...result.repairs]) : result;
}

interface Wrapped extends Packed {
  readonly parameters: Parameters;
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
function unwrap(text: string, root: JsonNode, wrapped: Wrapped): ReadArguments {
  const { parameters, repairs } = wrapped;
  const own = root.members.filter(({ key, value }) => !parameters.isEcho(key, text.slice(value.start, value.end)));
  if (own.length === root.members.length) return withoutWrapper(text, root, wrapped);
  const rest = objectOf(own.map(({ key, value }) => [key, text.slice(value.start, value.end)] as const));
  const node = spansOf(rest);
  return node ? withoutWrapper(rest, node, { ...wrapped, repairs: [...repairs, "schema-echo"] }) : read(text, repairs);
}

/** Takes off a wrapper that is no parameter of the tool: alone, or beside the `name` or `type` of an echo. */
function withoutWrapper(text: string, root: JsonNode, wrapped: Wrapped): ReadArguments {
  const { parameters, repairs, mayOpen } = wrapped;
  const strangers = root.members.filter((member) => !parameters.has(member.key));
  const [wrapper] = strangers.filter((member) => wrappers.has(member.key));
  const isEcho = strangers.every((member) => member === wrapper || member.key === "name" || member.key === "type");
  const kind = wrapper?.value.kind;
  const mayHold = kind === "object" || kind === "string" || (kind === "null" && parameters.needsNone);
  if (
    !wrapper ||
    strangers.length < root.members.length ||
    !isEcho ||
    !mayHold ||
    mayOpen === 0 ||
    parameters.names.length === 0
  ) {
    return read(text, repairs);
  }
  const inner = readJson(text.slice(wrapper.value.start, wrapper.value.end), parameters, mayOpen - 1);
  return inner.type === "read" && memberOf(root, wrapper.key) === wrapper
    ? withRepairs(inner, [...repairs, "unwrapped"])
    : read(text, repairs);
}

interface Lone {
  readonly parameters: Parameters;
  readonly repairs: readonly string[];
}

function readArray(text: string, root: JsonNode, lone: Lone): ReadArguments {
  const { parameters, repairs } = lone;
  const [only, second] = root.elements;
  const { names } = parameters;
  // A list that holds the arguments object itself.
  if (only?.kind === "object" && second === undefined && !takesArray(parameters)) {
    return read(text.slice(only.start, only.end), [...repairs, "unwrapped"]);
  }
  if (parameters.lone !== undefined) return readLone(text, parameters, repairs);
  if (root.elements.length === 0 && parameters.needsNone) return read("{}", [...repairs, "positional"]);
  if (root.elements.length !== names.length)
    return refused(`must be one object, got a list of ${root.elements.length}`);
  const members = root.elements.map((node, index): readonly [string, string] => [
    names[index] ?? "",
    text.slice(node.start, node.end),
  ]);
  return read(objectOf(members), [...repairs, "positional"]);
}

function takesArray(parameters: Parameters): boolean {
  const schema = parameters.lone === undefined ? undefined : parameters.schemaOf(parameters.lone);
  return schema !== undefined && parameters.reader.shapes(schema).some((shape) => shape.types?.has("array"));
}

/** Any other value is the value of the one parameter it can be for. */
function readLone(json: string, parameters: Parameters, repairs: readonly string[]): ReadArguments {
  const { lone } = parameters;
  if (lone === undefined) return refused(`must be one object${expected(parameters)}`);
  return read(objectOf([[lone, json]]), [...repairs, "single-parameter"]);
}

function expected(parameters: Parameters): string {
  const { names } = parameters;
  return names.length > 0 ? ` with the parameters ${nameList(names, names.length)}` : "";
}

function objectOf(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

function readList(list: readonly Argument[], parameters: Parameters): ReadArguments {
  const named = new Set(list.map((argument) => argument.key));
  const free = parameters.names.filter((name) => !named.has(name));
  const members: (readonly [string, string])[] = [];
  const repairs: string[] = [];
  for (const argument of list) {
    if (isEchoed(argument, parameters)) {
      repairs.push("schema-echo");
      continue;
    }
    const key = argument.key ?? free.shift();
    if (key === undefined) return refused(`are more than the tool has parameters${expected(parameters)}`);
    const value = typedValue(argument, parameters.schemaOf(key), parameters.reader);
    if (value === undefined) return refused(`hold a value for ${JSON.stringify(key)} that is no JSON`);
    members.push([key, value.text]);
    repairs.push(...value.repairs, ...(argument.key === undefined ? ["positional"] : []));
  }
  return read(objectOf(members), repairs);
}

function isEchoed({ key, form, value }: Argument, parameters: Parameters): boolean {
  return key !== undefined && form === "json" && parameters.isEcho(key, value);
}

/** The JSON text of one argument; undefined where a typed one is none. */
function typedValue(argument: Argument, schema: JsonValue | undefined, reader: SchemaReader): DecodedJson | undefined {
  if (argument.form === "json") return decodeJson(argument.value);
  if (argument.form === "string") return { text: JSON.stringify(argument.value), repairs: [] };
  return coerceText(argument.value, schema, reader);
}

/** Words that models write where a tool is to be called without arguments. */
const nothing: ReadonlySet<string> = new Set(["", "none", "null", "n/a", "{}", "()"]);

function readText(text: string, parameters: Parameters): ReadArguments {
  const trimmed = text.trim();
  if (nothing.has(trimmed.toLowerCase())) return read("{}", []);
  const object = trimmed.startsWith("{") ? decodeJson(trimmed) : undefined;
  const root = object && spansOf(object.text);
  if (object && root?.kind === "object" && isForParameters(root, parameters)) {
    return unwrap(object.text, root, { parameters, repairs: object.repairs, mayOpen: maxOpened });
  }
  // Cut or broken JSON is no text for anybody.
  if (!object && /^\{\s*["']/.test(trimmed)) return refused(unreadableWords(trimmed));
  const lone = parameters.loneText;
  if (lone === undefined) return refused(`must be one JSON object${expected(parameters)}`);
  const value = coerceText(unquote(trimmed) ?? text, parameters.schemaOf(lone), parameters.reader);
  return read(objectOf([[lone, value.text]]), ["single-parameter", ...value.repairs]);
}

/** Whether an object is the arguments, and no text that happens to be one. */
function isForParameters(root: JsonNode, parameters: Parameters): boolean {
  if (parameters.loneText === undefined) return true;
  return root.members.some(({ key }) => parameters.isLike(key) || wrappers.has(key));
}

/** The text inside one pair of quotes around all of it. */
function unquote(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const quote = text.charAt(0);
  if (text.length < 2 || !text.endsWith(quote) || inner.includes(quote)) return undefined;
  return quote === '"' || quote === "'" || quote === "`" ? inner : undefined;
}
