// Asks without `tools`: tools and history go as text, calls come back as text; what the design calls the TextReActAgent. Knows no family's format.
import type { ModelCapabilities } from "../core/capabilities.ts";
import { finishInTurns } from "../core/loopTurn.ts";
import { mergeSampling } from "../core/mergeSampling.ts";
import { demandsCall, type JsonObject } from "../core/messages.ts";
import type { Sampling } from "../core/requests.ts";
import { renderTextRequest } from "../formats/rendering/renderTextRequest.ts";
import { losesFields } from "../models/losesFields.ts";
import type { Conversation } from "./Agent.ts";
import { callsAllowed } from "./callDemands.ts";
import { callForm } from "./callForm.ts";
import { instructOutput } from "./instructOutput.ts";
import type { Prompting } from "./Prompting.ts";
import { reasoningOpened } from "./reasoningOpened.ts";
import { MOST_STOPS, sentStops } from "./sentStops.ts";

export const textPrompting: Prompting = {
  toolMode: "text",
  async prompt(conversation, capabilities, signal) {
    const { shownTools: tools = conversation.tools, toolChoice, parallelToolCalls, output } = conversation;
    const { emulate, systemRole, prompt } = capabilities;
    const messages = instructOutput(conversation.messages, output);
    const text = renderTextRequest({ messages, tools, toolChoice, parallelToolCalls, emulate, systemRole, prompt });
    const rendered = await finishInTurns(text, signal);
    const mayCall = callsAllowed({ tools, toolChoice });
    return {
      messages: rendered.messages,
      tools: [],
      toolChoice: { type: "none" },
      sampling: textSampling(conversation, capabilities, rendered.stop),
      // An upstream that enforces JSON would not let the model write its call.
      output: mayCall ? { type: "text" } : output,
      callForm: mayCall ? formFor(conversation, capabilities) : undefined,
      // A model that writes its calls itself may write one without end.
      watched: true,
      lost: losesFields(messages.map(({ extra = {} }) => extra)) ? ["messages"] : undefined,
    };
  },
};

/** The form of the only thing that will do, a call; undefined where words will do too, or where the model is to think first. */
function formFor(
  { tools, toolChoice, callAgain, passthrough }: Conversation,
  { jsonSchema, reasoning, parse }: ModelCapabilities,
): JsonObject | undefined {
  const demanded = callAgain || demandsCall(toolChoice);
  if (!demanded || parse === "off" || jsonSchema !== "native") return undefined;
  return reasoningOpened(reasoning, passthrough) ? undefined : callForm(tools, toolChoice);
}

/** The caller's word first, then the row's. Of stop texts the format's save tokens, and give way to those that are asked for. */
function textSampling(
  conversation: Conversation,
  capabilities: ModelCapabilities,
  formatStop: readonly string[],
): Sampling {
  const { stop: _, ...merged } = mergeSampling(capabilities.sampling, conversation.sampling);
  const asked = conversation.sampling.stop ? sentStops(conversation, capabilities) : (capabilities.sampling.stop ?? []);
  const stop = [...new Set([...asked, ...formatStop])].slice(0, MOST_STOPS);
  return stop.length > 0 ? { ...merged, stop } : merged;
}
