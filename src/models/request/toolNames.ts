// Renames tools that an upstream would refuse, in tools, history and choice alike.
import { hash } from "node:crypto";
import type { RenamedTool } from "../../core/events/events.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../../core/messages.ts";
import { asArray, asObject, asString } from "../looseJson.ts";

export interface NameRule {
  /** Every character that is refused; `_` stands in its place. */
  readonly invalidCharacters: RegExp;
  /** Pattern for the start of a name. A name without it gets a `_` in front. */
  readonly start: RegExp;
  /** Characters of a name. */
  readonly maxLength: number;
}

/**
 * Renames tools that the rule refuses; returns the same object if there is none. The new name depends on the set of names and not on their
 * order, so that a conversation keeps its names in every turn.
 */
export function renameTools(body: JsonObject, rule: NameRule): JsonObject {
  const shown = createShownNames(collectNames(body), rule);
  if (shown.size === 0) return body;
  const renamed: Record<string, JsonValue> = {
    ...body,
    messages: asArray(body.messages).map((message) => renamedMessage(message, shown)),
  };
  if (body.tools !== undefined) renamed.tools = asArray(body.tools).map((tool) => renamedFunction(tool, shown));
  if (body.tool_choice !== undefined) renamed.tool_choice = renamedFunction(body.tool_choice, shown);
  return renamed;
}

/** Lists the offered tools that the body offers under other names. */
export function listRenamedTools(tools: readonly ToolSpec[], body: JsonObject): readonly RenamedTool[] {
  const headerNames = asArray(body.tools);
  return tools.flatMap(({ name }, position) => {
    const renamed = functionName(headerNames[position]);
    return renamed === undefined || renamed === name ? [] : [{ name, shown: renamed }];
  });
}

/** By each name that is refused the one that stands for it: no two alike, and none that is another tool's own. */
function createShownNames(names: ReadonlySet<string>, rule: NameRule): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const plain = new Map([...names].map((name) => [name, sanitizeName(name, rule)]));
  const refused = [...names].filter((name) => plain.get(name) !== name || name.length > rule.maxLength);
  if (refused.length === 0) return renamed;
  const alike = Map.groupBy(plain.values(), (name) => name);
  const usedIds = new Set([...names, ...alike.keys()]);
  for (const name of refused.sort()) {
    const simple = plain.get(name) ?? name;
    const isClear = simple.length <= rule.maxLength && alike.get(simple)?.length === 1;
    const other = isClear ? simple : markedName(name, simple, { maxLength: rule.maxLength, taken: usedIds });
    usedIds.add(other);
    renamed.set(name, other);
  }
  return renamed;
}

function sanitizeName(name: string, { invalidCharacters: refused, start }: NameRule): string {
  const plain = name.replaceAll(refused, "_");
  return start.test(plain) ? plain : `_${plain}`;
}

const MARK_CHARS = 8;

/** Makes the name unique with some characters of a hash. */
function markedName(
  name: string,
  simple: string,
  { maxLength, taken }: { readonly maxLength: number; readonly taken: ReadonlySet<string> },
): string {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = hash("sha256", `${name} ${attempt}`, "hex").slice(0, MARK_CHARS);
    const marked = `${simple.slice(0, maxLength - MARK_CHARS - 1)}_${suffix}`;
    if (!taken.has(marked)) return marked;
  }
}

function collectNames(body: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string | undefined) => name !== undefined && names.add(name);
  for (const tool of asArray(body.tools)) add(functionName(tool));
  for (const value of asArray(body.messages)) {
    const message = asObject(value);
    for (const call of asArray(message?.tool_calls)) add(functionName(call));
    if (message?.role === "tool") add(asString(message.name));
  }
  return names;
}

function functionName(value: JsonValue | undefined): string | undefined {
  return asString(asObject(asObject(value)?.function)?.name);
}

function renamedMessage(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  const message = asObject(value);
  if (message?.tool_calls !== undefined) {
    return { ...message, tool_calls: asArray(message.tool_calls).map((call) => renamedFunction(call, renamed)) };
  }
  const other = message?.role === "tool" ? renamed.get(asString(message.name) ?? "") : undefined;
  return other === undefined ? value : { ...message, name: other };
}

/** A tool, a call or a choice. */
function renamedFunction(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  const other = renamed.get(functionName(value) ?? "");
  const functionObject = asObject(value);
  return other === undefined
    ? value
    : { ...functionObject, function: { ...asObject(functionObject?.function), name: other } };
}
