// Writes down what servers said of the tools that a run is shown, beside the run's exchanges. Knows no server and no run.
import { finishInTurns } from "../core/loopTurn.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Clock, Observation, Observer, Redact } from "../core/ports.ts";
import type { ShownTool } from "../core/servedCalls.ts";
import type { RecordedTools } from "./RecordedServer.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import { StepRedactor } from "./redactSteps.ts";

type Shown = Extract<Observation, { type: "shown-tools" }>;

/** Writes down each `shown-tools` observation, a line for each server. */
export function recordShownTools({
  sink,
  redact,
  clock,
}: {
  readonly sink: TranscriptSink<RecordedTools>;
  readonly redact: Redact;
  readonly clock: Clock;
}): Observer {
  let told = 0;
  return {
    observe(observation) {
      if (observation.type !== "shown-tools") return;
      const at = new Date(clock.now()).toISOString();
      for (const server of new Set(observation.definitions.map((one) => one.server))) {
        const line = { type: "mcp-tools", n: told++, run: observation.run, at, server } as const;
        const redacted = async () => ({ ...line, tools: await toolsOf(observation, server, redact) });
        sink.write({ run: observation.run, bytes: 0, redacted });
      }
    },
  };
}

async function toolsOf({ definitions, agreed }: Shown, server: string, redact: Redact): Promise<readonly ShownTool[]> {
  const ready = await agreed();
  const steps = new StepRedactor(redact);
  const tools: ShownTool[] = [];
  for (const definition of definitions.filter((one) => one.server === server)) {
    // A redacted object is an object.
    const listed = (await finishInTurns(steps.value(definition.listed))) as JsonObject;
    tools.push({ listed, agreed: ready.has(definition) });
  }
  return tools;
}
