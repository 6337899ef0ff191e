// Asks through the upstream's own `tools` field: what the design calls the ToolCallingAgent. Knows no prompt format.
import { instructOutput } from "./instructOutput.ts";
import type { Prompting } from "./Prompting.ts";

export const nativePrompting: Prompting = {
  toolMode: "native",
  prompt: async ({ messages, tools, toolChoice, parallelToolCalls, sampling, output, watched }) => ({
    messages,
    tools,
    toolChoice,
    parallelToolCalls,
    sampling,
    // What the row says is understood goes up, beside tools too; the turn asks again, without tools, where the form is missing.
    output,
    inWords: instructOutput(messages, output),
    watched,
  }),
};
