// Offers tools in the prompt and reads calls from the text, for models whose server takes no `tools`.

import { runCooperatively } from "../core/async/yieldToEventLoop.ts";
import { demandsCall, type JsonObject } from "../core/messages.ts";
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import { mergeSampling } from "../core/models/mergeSampling.ts";
import type { Sampling } from "../core/requests.ts";
import { renderTextRequest } from "../formats/prompts/renderTextRequest.ts";
import { losesFields } from "../models/request/losesFields.ts";
import type { AttemptConversation } from "./Agent.ts";
import { allowsToolCalls } from "./attempt/toolChoiceRules.ts";
import { type AgentOptions, ModelAgent } from "./ModelAgent.ts";
import { buildCallSchema } from "./prompting/callSchema.ts";
import { appendOutputInstruction } from "./prompting/outputInstructions.ts";
import type { Prompt } from "./prompting/Prompt.ts";
import { opensInReasoning } from "./prompting/startsInReasoning.ts";
import { MOST_STOPS, selectUpstreamStops } from "./prompting/upstreamStops.ts";

/** Offers tools in the prompt and reads calls from the text, for models whose server takes no `tools`. */
export class TextReActAgent extends ModelAgent {
  constructor(options: AgentOptions) {
    super("text", options);
  }

  protected async prompt(
    conversation: AttemptConversation,
    capabilities: ModelCapabilities,
    signal: AbortSignal,
  ): Promise<Prompt> {
    const { shownTools: tools = conversation.tools, toolChoice, parallelToolCalls, output } = conversation;
    const { emulate, systemRole, prompt } = capabilities;
    const messages = appendOutputInstruction(conversation.messages, output);
    const text = renderTextRequest({ messages, tools, toolChoice, parallelToolCalls, emulate, systemRole, prompt });
    const rendered = await runCooperatively(text, signal);
    const mayCall = allowsToolCalls({ tools, toolChoice });
    return {
      messages: rendered.messages,
      tools: [],
      toolChoice: { type: "none" },
      sampling: textSampling(conversation, capabilities, rendered.stop),
      // An upstream that enforces JSON would not let the model write its call.
      output: mayCall ? { type: "text" } : output,
      callForm: mayCall ? selectForm(conversation, capabilities) : undefined,
      // A model that writes calls as text may repeat one without end.
      watched: true,
      lost: losesFields(messages.map(({ extra = {} }) => extra)) ? ["messages"] : undefined,
    };
  }
}

/** Schema of the demanded call, for constrained decoding; undefined if text is allowed too, or if the model must reason first. */
function selectForm(
  { tools, toolChoice, callAgain, passthrough }: AttemptConversation,
  { jsonSchema, reasoning, parse }: ModelCapabilities,
): JsonObject | undefined {
  const demanded = callAgain || demandsCall(toolChoice);
  if (!demanded || parse === "off" || jsonSchema !== "native") return undefined;
  return opensInReasoning(reasoning, passthrough) ? undefined : buildCallSchema(tools, toolChoice);
}

/** Sampling of the client, then of the profile. Stop texts of the format only save tokens, so requested stop texts come first. */
function textSampling(
  conversation: AttemptConversation,
  capabilities: ModelCapabilities,
  formatStop: readonly string[],
): Sampling {
  const { stop: _, ...merged } = mergeSampling(capabilities.sampling, conversation.sampling);
  const requestedStops = conversation.sampling.stop
    ? selectUpstreamStops(conversation, capabilities)
    : (capabilities.sampling.stop ?? []);
  const stop = [...new Set([...requestedStops, ...formatStop])].slice(0, MOST_STOPS);
  return stop.length > 0 ? { ...merged, stop } : merged;
}
