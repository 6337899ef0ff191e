// A call written as YAML (`name:` and an `arguments:` map) → one call candidate. Trusts no YAML type: the schema says what `no` is.
import type { Argument, CallCandidate } from "./CallCandidate.ts";
import { readYaml, type YamlNode } from "./yamlTree.ts";

/**
 * The one call of a whole body that says both name and arguments, or undefined. Plain scalars have form `raw`, quoted and block scalars `string`, nested
 * values are JSON whose scalars are strings. Anchors, aliases, tags, merge keys and other keys are refused, as are
 * bodies over 8 KiB or deeper than 64.
 */
export function decodeYaml(body: string): CallCandidate | undefined {
  if (body.length > MAX_CHARACTERS || !STARTS_WITH_NAME.test(body) || isDeep(body)) return undefined;
  const document = readYaml(body);
  if (document?.type !== "map") return undefined;
  let name: string | undefined;
  let list: readonly Argument[] | undefined;
  for (const [key, value] of document.members) {
    const label = key.toLowerCase();
    if (NAME_KEYS.has(label) && name === undefined && value?.type === "scalar") name = value.text.trim();
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

function argumentsOf(node: YamlNode | undefined): readonly Argument[] | undefined {
  if (node === undefined || (node.type === "scalar" && node.text === "")) return [];
  return node.type === "map" ? [...node.members].map(([key, value]) => argumentOf(key, value)) : undefined;
}

function argumentOf(key: string, node: YamlNode | undefined): Argument {
  if (node === undefined) return { key, value: "", form: "raw" };
  if (node.type === "scalar") return { key, value: node.text, form: node.plain ? "raw" : "string" };
  return { key, value: jsonOf(node), form: "json" };
}

function jsonOf(node: YamlNode | undefined): string {
  if (node === undefined) return '""';
  if (node.type === "scalar") return JSON.stringify(node.text);
  if (node.type === "list") return `[${node.items.map(jsonOf).join(",")}]`;
  return `{${[...node.members].map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(",")}}`;
}
