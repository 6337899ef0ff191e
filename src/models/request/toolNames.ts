// Renames tools that an upstream would refuse, in tools, history and choice alike.
import { hash } from "node:crypto";
import type { RenamedTool } from "../../core/events/events.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../../core/messages.ts";
import { asArray, asObject, asString } from "../looseJson.ts";

export interface NameRule {
  /** Every character that is refused; `_` stands in its place. */
  readonly refused: RegExp;
  /** Pattern for the start of a name. A name without it gets a `_` in front. */
  readonly start: RegExp;
  /** Characters of a name. */
  readonly most: number;
}

/**
 * Renames tools that the rule refuses; returns the same object if there is none. The new name depends on the set of names and not on their
 * order, so that a conversation keeps its names in every turn.
 */
export function renameTools(body: JsonObject, rule: NameRule): JsonObject {
  const shown = shownNames(collectNames(body), rule);
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
  const sent = asArray(body.tools);
  return tools.flatMap(({ name }, position) => {
    const shown = functionName(sent[position]);
    return shown === undefined || shown === name ? [] : [{ name, shown }];
  });
}

/** By each name that is refused the one that stands for it: no two alike, and none that is another tool's own. */
function shownNames(names: ReadonlySet<string>, rule: NameRule): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  const plain = new Map([...names].map((name) => [name, plainName(name, rule)]));
  const refused = [...names].filter((name) => plain.get(name) !== name || name.length > rule.most);
  if (refused.length === 0) return shown;
  const alike = Map.groupBy(plain.values(), (name) => name);
  const taken = new Set([...names, ...alike.keys()]);
  for (const name of refused.sort()) {
    const simple = plain.get(name) ?? name;
    const isClear = simple.length <= rule.most && alike.get(simple)?.length === 1;
    const other = isClear ? simple : markedName(name, simple, { most: rule.most, taken });
    taken.add(other);
    shown.set(name, other);
  }
  return shown;
}

function plainName(name: string, { refused, start }: NameRule): string {
  const plain = name.replaceAll(refused, "_");
  return start.test(plain) ? plain : `_${plain}`;
}

const MARK_CHARS = 8;

/** Makes the name unique with some characters of a hash. */
function markedName(
  name: string,
  simple: string,
  { most, taken }: { readonly most: number; readonly taken: ReadonlySet<string> },
): string {
  for (let attempt = 0; ; attempt += 1) {
    const mark = hash("sha256", `${name} ${attempt}`, "hex").slice(0, MARK_CHARS);
    const marked = `${simple.slice(0, most - MARK_CHARS - 1)}_${mark}`;
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

function renamedMessage(value: JsonValue, shown: ReadonlyMap<string, string>): JsonValue {
  const message = asObject(value);
  if (message?.tool_calls !== undefined) {
    return { ...message, tool_calls: asArray(message.tool_calls).map((call) => renamedFunction(call, shown)) };
  }
  const other = message?.role === "tool" ? shown.get(asString(message.name) ?? "") : undefined;
  return other === undefined ? value : { ...message, name: other };
}

/** A tool, a call or a choice. */
function renamedFunction(value: JsonValue, shown: ReadonlyMap<string, string>): JsonValue {
  const other = shown.get(functionName(value) ?? "");
  const whole = asObject(value);
  return other === undefined ? value : { ...whole, function: { ...asObject(whole?.function), name: other } };
}
