// Estimates the tokens of a conversation from the upstream's last count, or else from the number of characters. Uses no tokenizer.

import { memoize } from "../../core/async/memoize.ts";
import type { Message, ToolMode, ToolSpec } from "../../core/messages.ts";
import { CHARS_A_TOKEN, countMessageChars } from "../../core/runs/budget.ts";
import type { CountedPrompt } from "../../core/runs/RunState.ts";

/** Characters that a non-text part counts as: a vision model spends some hundred to some thousand tokens on an image. */
const PART_CHARS = 4_000;
/** Characters that a chat template adds around a message, and around a call. */
const AROUND_MESSAGE = 20;
const AROUND_CALL = 40;
/** Characters that the chat wire adds around a tool. */
const AROUND_TOOL = 40;
/** Characters of the calling rules, if tools are listed in the prompt. */
const AROUND_TOOLS = 2_000;
/** Below this size a count mostly measures the chat template. */
const RELIABLE_CHARS = 4_000;
/** A count with more characters per token than this comes from a prompt that the server has truncated. */
const MOST_CHARS_A_TOKEN = 10;

const ofTool = new WeakMap<ToolSpec, number>();

/** Number of characters of the tools as a model sees them. */
export function countToolChars(tools: readonly ToolSpec[], mode: ToolMode | undefined): number {
  const rules = mode === "text" && tools.length > 0 ? AROUND_TOOLS : 0;
  return tools.reduce(
    (sum, tool) => sum + memoize(ofTool, tool, () => JSON.stringify(tool).length + AROUND_TOOL),
    rules,
  );
}

/** Number of characters of a message; each non-text part counts as `PART_CHARS`. */
export function measureMessage(message: Message): number {
  const { content, toolCalls = [] } = message;
  const parts = Array.isArray(content) ? content.filter(({ type }) => type !== "text").length : 0;
  return countMessageChars(message) + parts * PART_CHARS + AROUND_MESSAGE + toolCalls.length * AROUND_CALL;
}

export function measureMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + measureMessage(message), 0);
}

/** Converts characters to tokens and back. */
export interface Scale {
  tokens(chars: number): number;
  /** Number of characters to remove in order to save this number of tokens. */
  chars(tokens: number): number;
}

/** @param counted the last count of the upstream; an implausible one is ignored. */
export function computeScale(counted: CountedPrompt | undefined): Scale {
  const known = counted && counted.tokens * MOST_CHARS_A_TOKEN >= counted.chars ? counted : { tokens: 0, chars: 0 };
  const isReliable = known.chars >= RELIABLE_CHARS && known.tokens > 0;
  // A higher ratio is not used, because the following text may be another script or code.
  const charsAToken = isReliable ? Math.min(CHARS_A_TOKEN, Math.max(1, known.chars / known.tokens)) : CHARS_A_TOKEN;
  return {
    tokens: (chars) => Math.max(0, Math.ceil(known.tokens + (chars - known.chars) / charsAToken)),
    chars: (tokens) => Math.ceil(tokens * charsAToken),
  };
}
