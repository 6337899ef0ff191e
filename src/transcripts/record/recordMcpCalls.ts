// Records every call of an MCP server's tool, without a change to it.
import { runCooperatively } from "../../core/async/yieldToEventLoop.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { Clock, Redact } from "../../core/ports.ts";
import type { McpCallInterceptor, McpCallResult } from "../../core/tools/mcpCalls.ts";
import type { RecordedMcpCall } from "../format/RecordedServer.ts";
import { StepRedactor } from "../redaction/redactInSlices.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import { TimedRecorder } from "./TimedRecorder.ts";

/** Records each call once it has its end, or its run has. */
export function recordMcpCalls({
  sink,
  redact,
  clock,
}: {
  readonly sink: TranscriptSink<RecordedMcpCall>;
  readonly redact: Redact;
  readonly clock: Clock;
}): McpCallInterceptor {
  const ends = new TimedRecorder(clock);
  return (call, send) =>
    ends.of(send, ({ n, ...passed }) => {
      const recorded: RecordedMcpCall = { type: "mcp-call", n, ...call, ...passed };
      sink.write({ run: call.run, bytes: measureResult(passed.end), redacted: () => redactCall(recorded, redact) });
    });
}

function measureResult(end: McpCallResult | undefined): number {
  if (!end) return 0;
  return end.type === "result" ? JSON.stringify(end.result).length : end.message.length;
}

async function redactCall(recorded: RecordedMcpCall, redact: Redact): Promise<RecordedMcpCall> {
  const { arguments: args, end = null } = recorded;
  const redacted = await runCooperatively(new StepRedactor(redact).value({ args, end } as JsonValue));
  // A redacted value has the shape that it had.
  const { args: redactedCall, end: hasEnded } = redacted as unknown as { args: JsonObject; end: McpCallResult | null };
  return { ...recorded, arguments: redactedCall, end: hasEnded ?? undefined };
}
