// Whether the tools of a request can have been in the prompt, by what the upstream counted of it. Knows no server and decides nothing.

import { memoize } from "../../core/async/memoize.ts";
import type { ModelEnd, Usage } from "../../core/events/events.ts";
import type { JsonObject, JsonValue, Message, ToolSpec } from "../../core/messages.ts";
import type { AttemptConversation } from "../Agent.ts";

/** Below this many characters of tools a short template could hide them. */
const LEAST_CHARS = 500;
/** No tokenizer makes a token of more characters of a schema; what is usual is three to four. */
const CHARS_A_TOKEN = 10;
/** A run of at least so many of one character can be a single token, however long it is. */
const RUN = 4;

/**
 * Why the tools cannot have been in the prompt: a chat template that knows none drops them, and the server answers 200.
 * Undefined where they may have been, and where the upstream counted nothing itself or something else: what cannot hold the messages
 * either is no count of the prompt (of what a cache did not have, or the same for every request).
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
  let room = tokens * CHARS_A_TOKEN;
  for (const { content } of messages) {
    room -= typeof content === "string" ? leastChars(content, room) : 0;
    if (room < 0) return false;
  }
  return true;
}

/** The characters of a text, a run as one of them; looks little further than `most` of them. */
function leastChars(text: string, most = Number.POSITIVE_INFINITY): number {
  let chars = 0;
  let run = 0;
  let before = -1;
  let size = 1;
  // What a run that has just begun would take back is no more than this.
  const enough = most + 2 * RUN;
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

/** By the list, which is immutable and comes again with most requests. */
const known = new WeakMap<readonly ToolSpec[], number>();

/** The characters that a prompt has at least where it holds the tools. */
function countToolChars(tools: readonly ToolSpec[]): number {
  return leastChars(JSON.stringify(tools));
}

/** Servers differ in whether `prompt_tokens` holds what came out of a cache; counted twice it only makes this more careful. */
function cachedTokens({ details = {} }: Usage): number {
  const { cached_tokens: cached } = (details.prompt_tokens_details ?? {}) as JsonObject;
  return [cached, details.cache_read_input_tokens, details.cache_creation_input_tokens].reduce(
    (sum: number, count: JsonValue | undefined) => sum + (typeof count === "number" && count > 0 ? count : 0),
    0,
  );
}
