// How many tokens a conversation probably has: by the upstream's last count where there is one, else by its characters. Knows no tokenizer.

import { memoize } from "../../core/async/memoize.ts";
import type { Message, ToolMode, ToolSpec } from "../../core/messages.ts";
import { CHARS_A_TOKEN, countMessageChars } from "../../core/runs/budget.ts";
import type { CountedPrompt } from "../../core/runs/RunState.ts";

/** Vision models take a picture for some hundreds to some thousand tokens, whatever the length of its text. */
const PART_CHARS = 4_000;
/** What a server's template writes around a message, and around a call. */
const AROUND_MESSAGE = 20;
const AROUND_CALL = 40;
/** As the chat wire has a tool. */
const AROUND_TOOL = 40;
/** The rules of calling, where tools stand in the prompt. */
const AROUND_TOOLS = 2_000;
/** Below so many a count is mostly of what the server's template writes around them. */
const TELLING_CHARS = 4_000;
/** A count of fewer tokens is that of a prompt which the server has cut. */
const MOST_CHARS_A_TOKEN = 10;

const ofTool = new WeakMap<ToolSpec, number>();

/** Characters of the tools as a model is shown them. */
export function countToolChars(tools: readonly ToolSpec[], mode: ToolMode | undefined): number {
  const rules = mode === "text" && tools.length > 0 ? AROUND_TOOLS : 0;
  return tools.reduce(
    (sum, tool) => sum + memoize(ofTool, tool, () => JSON.stringify(tool).length + AROUND_TOOL),
    rules,
  );
}

/** Characters of a message, each part that is no text as so many. */
export function measureMessage(message: Message): number {
  const { content, toolCalls = [] } = message;
  const parts = Array.isArray(content) ? content.filter(({ type }) => type !== "text").length : 0;
  return countMessageChars(message) + parts * PART_CHARS + AROUND_MESSAGE + toolCalls.length * AROUND_CALL;
}

export function measureMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + measureMessage(message), 0);
}

/** Turns characters into tokens and back. */
export interface Scale {
  tokens(chars: number): number;
  /** How many characters fewer make so many tokens fewer. */
  chars(tokens: number): number;
}

/** @param counted what the upstream counted last, of which only a plausible one is believed. */
export function computeScale(counted: CountedPrompt | undefined): Scale {
  const known = counted && counted.tokens * MOST_CHARS_A_TOKEN >= counted.chars ? counted : { tokens: 0, chars: 0 };
  const isTelling = known.chars >= TELLING_CHARS && known.tokens > 0;
  // Where it is more, what comes next may be another script or code.
  const charsAToken = isTelling ? Math.min(CHARS_A_TOKEN, Math.max(1, known.chars / known.tokens)) : CHARS_A_TOKEN;
  return {
    tokens: (chars) => Math.max(0, Math.ceil(known.tokens + (chars - known.chars) / charsAToken)),
    chars: (tokens) => Math.ceil(tokens * charsAToken),
  };
}
