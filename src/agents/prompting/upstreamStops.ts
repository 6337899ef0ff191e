// Selects the client's stop texts that are sent upstream. The gateway cuts the answer in any case.
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { AttemptConversation } from "../Agent.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";

/** Maximum number of stop texts on the OpenAI wire. */
export const MOST_STOPS = 4;

/**
 * The stop texts that an upstream accepts, to save it the rest of the answer. Empty if the model may write a call as
 * text, because its server would also cut inside the arguments.
 */
export function selectUpstreamStops(
  conversation: Pick<AttemptConversation, "sampling" | "tools" | "toolChoice">,
  { tools, formats, parse }: Pick<ModelCapabilities, "tools" | "formats" | "parse">,
): readonly string[] {
  const writesCalls = allowsToolCalls(conversation) && parse === "on" && (tools === "text" || formats.length > 0);
  return writesCalls ? [] : (conversation.sampling.stop ?? []).slice(0, MOST_STOPS);
}
