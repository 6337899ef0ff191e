// Asks without `tools`: tools and history go as text, calls come back as text; what the design calls the TextReActAgent. Knows no family's format.
import type { ModelCapabilities } from "../core/capabilities.ts";
import { finishInTurns } from "../core/loopTurn.ts";
import { mergeSampling } from "../core/mergeSampling.ts";
import { demandsCall, type JsonObject } from "../core/messages.ts";
import type { Sampling } from "../core/requests.ts";
import { renderTextRequest } from "../formats/rendering/renderTextRequest.ts";
import type { Conversation } from "./Agent.ts";
import { callsAllowed } from "./callDemands.ts";
import { callForm } from "./callForm.ts";
import { instructOutput } from "./instructOutput.ts";
import type { Prompting } from "./Prompting.ts";
import { reasoningOpened } from "./reasoningOpened.ts";

/** What the OpenAI wire takes. */
const MOST_STOPS = 4;

export const textPrompting: Prompting = {
  toolMode: "text",
  async prompt(conversation, capabilities, signal) {
    const { tools, toolChoice, parallelToolCalls, sampling, output } = conversation;
    const { emulate, systemRole } = capabilities;
    const messages = instructOutput(conversation.messages, output);
    const text = renderTextRequest({ messages, tools, toolChoice, parallelToolCalls, emulate, systemRole });
    const rendered = await finishInTurns(text, signal);
    const mayCall = callsAllowed(conversation);
    return {
      messages: rendered.messages,
      tools: [],
      toolChoice: { type: "none" },
      sampling: textSampling(sampling, capabilities.sampling, rendered.stop),
      // An upstream that enforces JSON would not let the model write its call.
      output: mayCall ? { type: "text" } : output,
      callForm: mayCall ? formFor(conversation, capabilities) : undefined,
      // A model that writes its calls itself may write one without end.
      watched: true,
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

/** The caller's word first, then the row's. The caller's stop words are a promise, the format's a saving: they fill what is left. */
function textSampling(asked: Sampling, row: Sampling, formatStop: readonly string[]): Sampling {
  const { stop: said = [], ...merged } = mergeSampling(row, asked);
  // More of the caller's own than the wire takes are the upstream's to refuse: left out, they would be a promise broken in silence.
  const stop = [...new Set([...said, ...formatStop])].slice(0, Math.max(MOST_STOPS, said.length));
  return stop.length > 0 ? { ...merged, stop } : merged;
}
