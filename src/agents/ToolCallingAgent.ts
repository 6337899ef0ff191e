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

  protected async prompt(conversation: AttemptConversation, capabilities: ModelCapabilities): Promise<Prompt> {
    return buildPrompt(await escapeResults(conversation.messages, capabilities), conversation, capabilities);
  }
}

function buildPrompt(
  history: readonly Message[],
  conversation: AttemptConversation,
  capabilities: ModelCapabilities,
): Prompt {
  const { tools, shownTools = tools, toolChoice, parallelToolCalls, sampling, output, watched } = conversation;
  const withheld = tools.length > 0 && shownTools.length === 0;
  const messages = addCallInstructions(history, shownTools, toolChoice, capabilities);
  const stop = sampling.stop && selectUpstreamStops(conversation, capabilities);
  return {
    messages,
    // Some servers require the tools that the history mentions: they are sent, but calls are forbidden.
    tools: withheld ? tools : shownTools,
    toolChoice: withheld ? NO_CALL : toolChoice,
    toolsWithheld: withheld || undefined,
    parallelToolCalls,
    sampling: stop ? { ...sampling, stop: stop.length > 0 ? stop : undefined } : sampling,
    // The output schema is sent if the profile supports it, even with tools. If the answer does not match, the turn asks again without tools.
    output,
    inWords: output.type === "text" ? undefined : appendOutputInstruction(messages, output),
    // The gateway cuts the answer at stop texts that are not sent, so it must end the upstream call there too.
    watched: watched || (stop !== undefined && stop.length < (sampling.stop?.length ?? 0)),
  };
}

const NO_CALL = { type: "none" } as const;

/** The messages, with the profile's prompt lines about calls after the leading instructions. Unchanged if there is no tool to call. */
function addCallInstructions(
  messages: readonly Message[],
  tools: readonly ToolSpec[],
  toolChoice: ToolChoice,
  { nativePrompt }: ModelCapabilities,
): readonly Message[] {
  if (!nativePrompt || toolChoice.type === "none" || tools.length === 0) return messages;
  const lines = selectPromptLines(nativePrompt, tools);
  return lines.length > 0 ? insertInstruction(messages, lines.join("\n"), "last") : messages;
}
