// A call written as YAML (`name:` and an `arguments:` map) → one call candidate. Trusts no YAML type: the schema says what `no` is.
import type { Argument, CallCandidate } from "./CallCandidate.ts";
import { readYaml, type YamlMember } from "./yamlTree.ts";

/**
 * The one call of a whole body that says both name and arguments, or undefined. Plain scalars have form `raw`, quoted and block scalars `string`, nested
 * values are JSON whose scalars are strings. Anchors, aliases, tags, merge keys and other keys are refused, as are
 * bodies over 8 KiB or deeper than 64.
 */
export function decodeYaml(body: string): CallCandidate | undefined {
  if (body.length > MAX_CHARACTERS || !STARTS_WITH_NAME.test(body) || isDeep(body)) return undefined;
  let name: string | undefined;
  let list: readonly Argument[] | undefined;
  for (const member of readYaml(body) ?? []) {
    const label = member.key?.toLowerCase() ?? "";
    if (NAME_KEYS.has(label) && name === undefined && member.form !== "json") name = member.value.trim();
    else if (ARGUMENT_KEYS.has(label) && !list) list = argumentsOf(member);
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

function argumentsOf({ value, form, members }: YamlMember): readonly Argument[] | undefined {
  if (form !== "json" && value === "") return [];
  return members?.map((member) => ({ key: member.key, value: member.value, form: member.form }));
}
