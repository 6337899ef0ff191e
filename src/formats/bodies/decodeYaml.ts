// A call written as YAML (`name:` and an `arguments:` map) → one call candidate. Trusts no YAML type: the schema says what `no` is.
import { isAlias, isMap, isScalar, isSeq, parseDocument, Scalar, visit } from "yaml";
import type { Argument, CallCandidate } from "./CallCandidate.ts";

/**
 * The one call of a whole body that says both name and arguments, or undefined. Plain scalars have form `raw`, quoted and block scalars `string`, nested
 * values are JSON whose scalars are strings. Anchors, aliases, tags, merge keys and other keys are refused, as are
 * bodies over 8 KiB or deeper than 64: the library's parser recurses, and takes some 4 ms for a KiB.
 */
export function decodeYaml(body: string): CallCandidate | undefined {
  if (body.length > MAX_CHARACTERS || !STARTS_WITH_NAME.test(body) || isDeep(body)) return undefined;
  const document = parse(body);
  if (!document || document.errors.length > 0 || document.warnings.length > 0 || !isMap(document.contents)) {
    return undefined;
  }
  if (usesReferences(document)) return undefined;
  let name: string | undefined;
  let list: readonly Argument[] | undefined;
  for (const { key, value } of document.contents.items) {
    const label = isScalar(key) ? String(key.value).toLowerCase() : "";
    if (NAME_KEYS.has(label) && name === undefined && isScalar(value)) name = String(value.value).trim();
    else if (ARGUMENT_KEYS.has(label) && !list) list = argumentsOf(value);
    else return undefined;
  }
  return name && list ? { name, arguments: { type: "list", list }, repairs: [] } : undefined;
}

const MAX_CHARACTERS = 8_192;
const MAX_DEPTH = 64;
const STARTS_WITH_NAME = /^\s*(?:---\s*)?["']?(?:name|tool|function|tool_name|action)["']?[ \t]*:/i;
const NAME_KEYS: ReadonlySet<string> = new Set(["name", "tool", "function", "tool_name", "action"]);
const ARGUMENT_KEYS: ReadonlySet<string> = new Set([
  "arguments",
  "parameters",
  "args",
  "input",
  "params",
  "action_input",
]);

type Document = ReturnType<typeof parseDocument>;

/** Counts flow brackets and, on each line, indentation and list dashes; brackets in strings count too, on the safe side. */
function isDeep(body: string): boolean {
  let open = 0;
  for (const line of body.split("\n")) {
    const lead = /^[ \t?-]*/.exec(line)?.[0] ?? "";
    if (lead.length > 4 * MAX_DEPTH || lead.replace(/[ \t]/g, "").length > MAX_DEPTH) return true;
    for (const c of line) if (c === "[" || c === "{") open++;
    if (open > 4 * MAX_DEPTH) return true;
  }
  return false;
}

function parse(body: string): Document | undefined {
  try {
    return parseDocument(body, { schema: "failsafe", merge: false, logLevel: "error", prettyErrors: false });
  } catch {
    return undefined;
  }
}

function usesReferences(document: Document): boolean {
  let found = false;
  visit(document, {
    Node(_, node) {
      if (!isAlias(node) && node.anchor === undefined && node.tag === undefined) return undefined;
      found = true;
      return visit.BREAK;
    },
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

function argumentsOf(node: unknown): readonly Argument[] | undefined {
  if (node === null || (isScalar(node) && (node.value === null || node.value === ""))) return [];
  if (!isMap(node)) return undefined;
  const list: Argument[] = [];
  for (const { key, value } of node.items) {
    const argument = isScalar(key) ? argumentOf(String(key.value), value) : undefined;
    if (!argument) return undefined;
    list.push(argument);
  }
  return list;
}

function argumentOf(key: string, node: unknown): Argument | undefined {
  if (node === null) return { key, value: "", form: "raw" };
  if (isScalar(node))
    return { key, value: String(node.value ?? ""), form: node.type === Scalar.PLAIN ? "raw" : "string" };
  const json = jsonOf(node, 0);
  return json === undefined ? undefined : { key, value: json, form: "json" };
}

function jsonOf(node: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (isSeq(node)) {
    const elements = node.items.map((item) => jsonOf(item, depth + 1));
    return elements.includes(undefined) ? undefined : `[${elements.join(",")}]`;
  }
  if (!isMap(node)) return JSON.stringify(isScalar(node) ? String(node.value ?? "") : "");
  const members = node.items.map(({ key, value }) => {
    const json = isScalar(key) ? jsonOf(value, depth + 1) : undefined;
    return json === undefined || !isScalar(key) ? undefined : `${JSON.stringify(String(key.value))}:${json}`;
  });
  return members.includes(undefined) ? undefined : `{${members.join(",")}}`;
}
