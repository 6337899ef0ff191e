// Records the tool definitions of servers that a run is shown.
import { runCooperatively } from "../../core/async/yieldToEventLoop.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Observation, Observer, Redact } from "../../core/ports.ts";
import type { OfferedToolDefinition } from "../../core/tools/mcpCalls.ts";
import type { RecordedTools } from "../format/RecordedServer.ts";
import { StepRedactor } from "../redaction/redactInSlices.ts";
import type { TranscriptSink } from "./recordEgress.ts";

type Shown = Extract<Observation, { type: "shown-tools" }>;

/** Writes down each `shown-tools` observation, a line for each server. */
export function recordToolDefinitions({
  sink,
  redact,
  clock,
}: {
  readonly sink: TranscriptSink<RecordedTools>;
  readonly redact: Redact;
  readonly clock: Clock;
}): Observer {
  let recordedCount = 0;
  return {
    observe(observation) {
      if (observation.type !== "shown-tools") return;
      const at = new Date(clock.now()).toISOString();
      for (const server of new Set(observation.definitions.map((one) => one.server))) {
        const line = { type: "mcp-tools", n: recordedCount++, run: observation.run, at, server } as const;
        const redacted = async () => ({ ...line, tools: await toOfferedDefinitions(observation, server, redact) });
        sink.write({ run: observation.run, bytes: 0, redacted });
      }
    },
  };
}

async function toOfferedDefinitions(
  { definitions, agreed }: Shown,
  server: string,
  redact: Redact,
): Promise<readonly OfferedToolDefinition[]> {
  const ready = await agreed();
  const steps = new StepRedactor(redact);
  const tools: OfferedToolDefinition[] = [];
  for (const definition of definitions.filter((one) => one.server === server)) {
    // A redacted object is an object.
    const listed = (await runCooperatively(steps.value(definition.listed))) as JsonObject;
    tools.push({ listed, agreed: ready.has(definition) });
  }
  return tools;
}
