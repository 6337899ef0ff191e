// Asks through the upstream's own `tools` field: what the design calls the ToolCallingAgent. Knows no prompt format.
import { instructOutput } from "./instructOutput.ts";
import type { Prompting } from "./Prompting.ts";
import { sentStops } from "./sentStops.ts";

export const nativePrompting: Prompting = {
  toolMode: "native",
  async prompt(conversation, capabilities) {
    const { messages, tools, toolChoice, parallelToolCalls, sampling, output, watched } = conversation;
    const stop = sampling.stop && sentStops(conversation, capabilities);
    return {
      messages,
      tools,
      toolChoice,
      parallelToolCalls,
      sampling: stop ? { ...sampling, stop: stop.length > 0 ? stop : undefined } : sampling,
      // What the row says is understood goes up, beside tools too; the turn asks again, without tools, where the form is missing.
      output,
      inWords: instructOutput(messages, output),
      // An answer that is cut here is closed there as soon as it is.
      watched: watched || (stop !== undefined && stop.length < (sampling.stop?.length ?? 0)),
    };
  },
};
