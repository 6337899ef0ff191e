// Renders tool lists in the notations that models know: JSON, type declarations, Python stubs, brace literals.
import { isObject, type JsonObject, type JsonValue, type ToolSpec } from "../../core/messages.ts";
import type { ToolList } from "./PromptFormat.ts";

/** The object that the OpenAI wire has in `tools`. */
export function openAiObject(tool: ToolSpec): JsonObject {
  return { type: "function", function: described(tool) };
}

/** The same as JSON with a space after commas and colons. */
export function openAiTool(tool: ToolSpec): string {
  return stringifySpaced(openAiObject(tool));
}

/** Name, description and schema without the wrapper. */
export function renderBareTool(tool: ToolSpec): string {
  return stringifySpaced(described(tool));
}

/** All tools as one JSON array. */
export function renderToolArray(before: string, after: string, one: ToolList["one"] = renderBareTool): ToolList {
  return { before: `${before}[`, one, between: ", ", after: `]${after}` };
}

/** Serialises JSON with the spaces of Python's `json.dumps`, as chat templates do. */
export function stringifySpaced(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(stringifySpaced).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${stringifySpaced(member)}`);
  return `{${members.join(", ")}}`;
}

/** Tools as types of a TypeScript namespace. */
export function renderTypescriptNamespace(before: string): ToolList {
  return {
    before: `${before}namespace functions {\n\n`,
    one: typescriptType,
    between: "\n\n",
    after: "\n\n} // namespace functions",
  };
}

/** Tools as `declaration:NAME{…}`; `quote` encloses the strings, on both sides. */
export function renderDeclaration(tool: ToolSpec, quote: string): string {
  const schema = tool.parameters ?? NO_PARAMETERS;
  return `declaration:${tool.name}${literal({ description: tool.description ?? "", parameters: schema }, quote)}`;
}

const NO_PARAMETERS: JsonObject = { type: "object", properties: {} };

function described(tool: ToolSpec): JsonObject {
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: tool.parameters ?? NO_PARAMETERS,
  };
}

interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

function listParameters(schema: JsonObject | undefined): readonly Parameter[] {
  const properties = schema?.properties;
  if (!isObject(properties)) return [];
  // Not searched for each name: of 10,000 names that are required that is a quarter of a second.
  const required = new Set(Array.isArray(schema?.required) ? schema.required : []);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: isObject(property) ? property : {},
    required: required.has(name),
  }));
}

function typescriptType(tool: ToolSpec): string {
  const head = tool.description ? `${comment(tool.description)}\n` : "";
  const parameters = listParameters(tool.parameters);
  if (parameters.length === 0) return `${head}type ${tool.name} = () => any;`;
  return `${head}type ${tool.name} = (_: {\n${parameters.map(typescriptMember).join("\n")}\n}) => any;`;
}

function typescriptMember(parameter: Parameter): string {
  const { description } = parameter.schema;
  const head = typeof description === "string" && description !== "" ? `${comment(description)}\n` : "";
  return `${head}${typescriptProperty(parameter, 0)},`;
}

function typescriptProperty({ name, schema, required }: Parameter, depth: number): string {
  const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${shown}${required ? "" : "?"}: ${renderTypescriptType(schema, depth)}`;
}

/** Nesting that a printed type follows; deeper is `any`. */
const TYPE_DEPTH = 8;

function renderTypescriptType(schema: JsonObject, depth: number): string {
  const members = schema.enum;
  if (Array.isArray(members)) return members.map((member) => JSON.stringify(member)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (depth > TYPE_DEPTH) return "any";
  if (Array.isArray(union)) {
    return union.map((member) => (isObject(member) ? renderTypescriptType(member, depth + 1) : "any")).join(" | ");
  }
  const type = schema.type;
  if (Array.isArray(type))
    return type.map((name) => renderTypescriptType({ ...schema, type: name }, depth + 1)).join(" | ");
  if (type === "array") {
    const items = schema.items;
    return isObject(items) ? `(${renderTypescriptType(items, depth + 1)})[]` : "any[]";
  }
  if (type === "object") return typescriptObject(schema, depth);
  return (typeof type === "string" ? TYPESCRIPT_NAMES.get(type) : undefined) ?? "any";
}

function typescriptObject(schema: JsonObject, depth: number): string {
  const members = listParameters(schema).map((parameter) => typescriptProperty(parameter, depth + 1));
  return members.length === 0 ? "object" : `{ ${members.join(", ")} }`;
}

const TYPESCRIPT_NAMES: ReadonlyMap<string, string> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
  ["null", "null"],
]);

function comment(text: string): string {
  return text
    .split("\n")
    .map((line) => `// ${line}`)
    .join("\n");
}

/** A tool as Python signature with a docstring. */
export function renderPythonStub(tool: ToolSpec): string {
  const parameters = listParameters(tool.parameters);
  // Python wants parameters without a default first.
  const ordered = [...parameters.filter(({ required }) => required), ...parameters.filter(({ required }) => !required)];
  const signature = ordered.map(
    (one) => `${one.name}: ${renderPythonType(one.schema)}${one.required ? "" : " = None"}`,
  );
  const notes = ordered.flatMap(({ name, schema }) => pythonNotes(name, schema));
  const doc = [tool.description ?? tool.name, ...(notes.length > 0 ? ["", "Args:", ...notes] : [])];
  const lines = [`"""${doc.join("\n")}`, '"""'].join("\n").split("\n");
  const body = lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n");
  return `def ${tool.name}(${signature.join(", ")}):\n${body}`;
}

function renderPythonType(schema: JsonObject): string {
  const type = schema.type;
  return (typeof type === "string" ? PYTHON_NAMES.get(type) : undefined) ?? "object";
}

const PYTHON_NAMES: ReadonlyMap<string, string> = new Map([
  ["string", "str"],
  ["number", "float"],
  ["integer", "int"],
  ["boolean", "bool"],
  ["array", "list"],
  ["object", "dict"],
]);

/** Returns notes that the signature cannot express: the description, and the schema if it has more than a type. */
function pythonNotes(name: string, schema: JsonObject): readonly string[] {
  const { type, description, ...rest } = schema;
  const details =
    Object.keys(rest).length > 0 || typeof type !== "string" ? ` (schema: ${stringifySpaced(schema)})` : "";
  if (typeof description !== "string" && details === "") return [];
  return [`    ${name}: ${typeof description === "string" ? description : ""}${details}`];
}

/** A JSON value with bare keys; strings stand between two `quote`s, type names in capitals. */
function literal(value: JsonValue, quote: string, key?: string): string {
  if (typeof value === "string") return `${quote}${key === "type" ? value.toUpperCase() : value}${quote}`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, quote, key)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}:${literal(member, quote, name)}`);
  return `{${members.join(",")}}`;
}
