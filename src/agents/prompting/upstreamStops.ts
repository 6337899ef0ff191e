// Which of the caller's stop texts go up. Cuts nothing: that is done behind the parser, whatever went up.
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { AttemptConversation } from "../Agent.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";

/** What the OpenAI wire takes. */
export const MOST_STOPS = 4;

/**
 * All that an upstream takes, which is spared the rest of the answer by them. None where the model may write a call as text: its server
 * knows no arguments in it, and would cut them as well.
 */
export function selectUpstreamStops(
  conversation: Pick<AttemptConversation, "sampling" | "tools" | "toolChoice">,
  { tools, formats, parse }: Pick<ModelCapabilities, "tools" | "formats" | "parse">,
): readonly string[] {
  const writesCalls = allowsToolCalls(conversation) && parse === "on" && (tools === "text" || formats.length > 0);
  return writesCalls ? [] : (conversation.sampling.stop ?? []).slice(0, MOST_STOPS);
}
