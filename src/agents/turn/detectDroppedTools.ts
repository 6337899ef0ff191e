// Detects from the upstream's token count that the tools of a request were not in the prompt.

import { memoize } from "../../core/async/memoize.ts";
import type { ModelEnd, Usage } from "../../core/events/events.ts";
import type { JsonObject, JsonValue, Message, ToolSpec } from "../../core/messages.ts";
import type { AttemptConversation } from "../Agent.ts";

/** With fewer characters of tools, a short chat template could explain the count. */
const LEAST_CHARS = 500;
/** Upper bound of characters of a schema per token; three to four are usual. */
const CHARS_A_TOKEN = 10;
/** A sequence of at least this many equal characters can be a single token, however long it is. */
const RUN = 4;

/**
 * Reason why the tools cannot have been in the prompt: a chat template without tools drops them, and the server answers
 * 200. Undefined if they may have been in the prompt, or if the count is no count of the prompt: estimated, smaller than
 * the messages need (only uncached tokens), or the same for each request.
 */
export function detectDroppedTools(
  { usage, usageEstimated }: Pick<ModelEnd, "usage" | "usageEstimated">,
  { tools, messages }: Pick<AttemptConversation, "tools" | "messages">,
): string | undefined {
  if (tools.length === 0 || !usage || usageEstimated || usage.promptTokens === 0) return undefined;
  const chars = memoize(known, tools, countToolChars);
  const tokens = usage.promptTokens + cachedTokens(usage);
  if (chars < LEAST_CHARS || tokens * CHARS_A_TOKEN >= chars) return undefined;
  if (!holds(tokens, messages)) return undefined;
  return `The upstream dropped the tools: it counted ${tokens} tokens in a prompt with ${chars} characters of tools.`;
}

function holds(tokens: number, messages: readonly Message[]): boolean {
  let remainingChars = tokens * CHARS_A_TOKEN;
  for (const { content } of messages) {
    remainingChars -= typeof content === "string" ? countAtLeast(content, remainingChars) : 0;
    if (remainingChars < 0) return false;
  }
  return true;
}

/** Number of characters of a text, with a sequence of equal ones counted as one. Stops soon after `most`. */
function countAtLeast(text: string, limit = Number.POSITIVE_INFINITY): number {
  let chars = 0;
  let run = 0;
  let before = -1;
  let size = 1;
  // Upper bound of what a sequence that has just begun could subtract.
  const enough = limit + 2 * RUN;
  for (let at = 0; at < text.length && chars <= enough; at += size) {
    const code = text.codePointAt(at) as number;
    size = code > 0xffff ? 2 : 1;
    run = code === before ? run + 1 : 1;
    before = code;
    if (run < RUN) chars += size;
    else if (run === RUN) chars -= (RUN - 2) * size;
  }
  return chars;
}

/** Keyed by the list, which is immutable and recurs in most requests. */
const known = new WeakMap<readonly ToolSpec[], number>();

/** Minimum number of characters of a prompt with the tools. */
function countToolChars(tools: readonly ToolSpec[]): number {
  return countAtLeast(JSON.stringify(tools));
}

/** Cached tokens. Servers differ on including them in `prompt_tokens`; counting them twice only makes the check more careful. */
function cachedTokens({ details = {} }: Usage): number {
  const { cached_tokens: cached } = (details.prompt_tokens_details ?? {}) as JsonObject;
  return [cached, details.cache_read_input_tokens, details.cache_creation_input_tokens].reduce(
    (sum: number, count: JsonValue | undefined) => sum + (typeof count === "number" && count > 0 ? count : 0),
    0,
  );
}
