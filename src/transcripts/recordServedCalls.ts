// Writes down every call of a server's tool that passes through. Does not change it, and does not know where the record goes.
import { finishInTurns } from "../core/loopTurn.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import type { Clock, Redact } from "../core/ports.ts";
import type { AroundServedCall, ServedEnd } from "../core/servedCalls.ts";
import { EndRecorder } from "./EndRecorder.ts";
import type { RecordedServedCall } from "./RecordedServer.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import { StepRedactor } from "./redactSteps.ts";

/** Records each call once it has its end, or its run has. */
export function recordServedCalls({
  sink,
  redact,
  clock,
}: {
  readonly sink: TranscriptSink<RecordedServedCall>;
  readonly redact: Redact;
  readonly clock: Clock;
}): AroundServedCall {
  const ends = new EndRecorder(clock);
  return (call, send) =>
    ends.of(send, ({ n, ...passed }) => {
      const recorded: RecordedServedCall = { type: "mcp-call", n, ...call, ...passed };
      sink.write({ run: call.run, bytes: bytesOf(passed.end), redacted: () => redactCall(recorded, redact) });
    });
}

function bytesOf(end: ServedEnd | undefined): number {
  if (!end) return 0;
  return end.type === "result" ? JSON.stringify(end.result).length : end.message.length;
}

async function redactCall(recorded: RecordedServedCall, redact: Redact): Promise<RecordedServedCall> {
  const { arguments: args, end = null } = recorded;
  const redacted = await finishInTurns(new StepRedactor(redact).value({ args, end } as JsonValue));
  // A redacted value has the shape that it had.
  const { args: written, end: ended } = redacted as unknown as { args: JsonObject; end: ServedEnd | null };
  return { ...recorded, arguments: written, end: ended ?? undefined };
}
