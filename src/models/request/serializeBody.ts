// Serialises the body of a request. The text of repeated tools is cached.

import { memoize } from "../../core/async/memoize.ts";
import { countValues, stringifyCooperatively } from "../../core/async/stringifyCooperatively.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** Maximum characters of tools that are written in one turn and cached. Longer lists are written each time, in several turns. */
const MOST_TOOLS = 131_072;

/** By the tool as `wireToolList` gave it, which is the same object for the same tool, and is never changed. */
const texts = new WeakMap<JsonObject, string>();
/** By the list of them, which is the same for the same list. */
const listTexts = new WeakMap<readonly JsonValue[], string | undefined>();

/** Returns the JSON of the body; the order of members may differ. Rejects with the signal's reason. */
export async function serializeBody(body: JsonObject, signal: AbortSignal): Promise<string> {
  const { tools } = body;
  const toolsText = Array.isArray(tools) ? memoize(listTexts, tools, writtenTools) : undefined;
  if (toolsText === undefined) return await stringifyCooperatively(body, signal);
  // A member without a value is not written; to leave it out costs more.
  const text = await stringifyCooperatively({ ...body, tools: undefined } as unknown as JsonObject, signal);
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"tools":[${toolsText}]}`;
}

/** Returns the list's text without its brackets; undefined if it is too long for one turn. */
function writtenTools(tools: readonly JsonValue[]): string | undefined {
  let remainingTools = MOST_TOOLS;
  const toolsText: string[] = [];
  for (const tool of tools) {
    const text = (isObject(tool) && texts.get(tool)) || stringifyIfShort(tool, remainingTools);
    if (text === undefined) return undefined;
    toolsText.push(text);
    remainingTools -= text.length;
    if (remainingTools < 0) return undefined;
  }
  return toolsText.join(",");
}

function stringifyIfShort(tool: JsonValue, limit: number): string | undefined {
  if (countValues(tool, limit) > limit) return undefined;
  const text = JSON.stringify(tool);
  if (isObject(tool)) texts.set(tool, text);
  return text;
}
