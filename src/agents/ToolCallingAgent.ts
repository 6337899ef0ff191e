// Offers tools through the `tools` field of the upstream.

import type { Message, ToolChoice, ToolSpec } from "../core/messages.ts";
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import { selectPromptLines } from "../core/models/promptLines.ts";
import type { AttemptConversation } from "./Agent.ts";
import { type AgentOptions, ModelAgent } from "./ModelAgent.ts";
import { escapeResults } from "./prompting/escapeResults.ts";
import { appendOutputInstruction, insertInstruction } from "./prompting/outputInstructions.ts";
import type { Prompt } from "./prompting/Prompt.ts";
import { selectUpstreamStops } from "./prompting/upstreamStops.ts";

/** Offers tools through the `tools` field of the upstream. */
export class ToolCallingAgent extends ModelAgent {
  constructor(options: AgentOptions) {
    super("native", options);
  }

  protected prompt(conversation: AttemptConversation, capabilities: ModelCapabilities): Prompt | Promise<Prompt> {
    const breaking = escapeResults(conversation.messages, capabilities);
    if (!(breaking instanceof Promise)) return promptWith(breaking, conversation, capabilities);
    return breaking.then((messages) => promptWith(messages, conversation, capabilities));
  }
}

function promptWith(
  history: readonly Message[],
  conversation: AttemptConversation,
  capabilities: ModelCapabilities,
): Prompt {
  const { tools, shownTools = tools, toolChoice, parallelToolCalls, sampling, output, watched } = conversation;
  const withheld = tools.length > 0 && shownTools.length === 0;
  const messages = toldOfCalls(history, shownTools, toolChoice, capabilities);
  const stop = sampling.stop && selectUpstreamStops(conversation, capabilities);
  return {
    messages,
    // A server that wants the tools of a history beside it may have them, forbidden.
    tools: withheld ? tools : shownTools,
    toolChoice: withheld ? NO_CALL : toolChoice,
    toolsWithheld: withheld || undefined,
    parallelToolCalls,
    sampling: stop ? { ...sampling, stop: stop.length > 0 ? stop : undefined } : sampling,
    // What the row says is understood goes up, beside tools too; the turn asks again, without tools, where the form is missing.
    output,
    inWords: output.type === "text" ? undefined : appendOutputInstruction(messages, output),
    // An answer that is cut here is closed there as soon as it is.
    watched: watched || (stop !== undefined && stop.length < (sampling.stop?.length ?? 0)),
  };
}

const NO_CALL = { type: "none" } as const;

/** The messages, with what the model's row says of calls at the end of the leading instructions; unchanged where it has no tools to call. */
function toldOfCalls(
  messages: readonly Message[],
  tools: readonly ToolSpec[],
  toolChoice: ToolChoice,
  { nativePrompt }: ModelCapabilities,
): readonly Message[] {
  if (!nativePrompt || toolChoice.type === "none" || tools.length === 0) return messages;
  const lines = selectPromptLines(nativePrompt, tools);
  return lines.length > 0 ? insertInstruction(messages, lines.join("\n"), "last") : messages;
}
