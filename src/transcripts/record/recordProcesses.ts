// Records every program that passes through a ProcessPort, without a change to it.
import { runCooperatively } from "../../core/async/yieldToEventLoop.ts";
import type { JsonValue } from "../../core/messages.ts";
import type { Clock, ProcessEnd, ProcessPort, Redact } from "../../core/ports.ts";
import type { RecordedProcess } from "../format/RecordedProcess.ts";
import { StepRedactor } from "../redaction/redactInSlices.ts";
import type { TranscriptSink } from "./recordEgress.ts";
import { TimedRecorder } from "./TimedRecorder.ts";

/** Records each program once it has ended, or its run has. */
export function recordProcesses(
  inner: ProcessPort,
  {
    sink,
    redact,
    clock,
  }: { readonly sink: TranscriptSink<RecordedProcess>; readonly redact: Redact; readonly clock: Clock },
): ProcessPort {
  const ends = new TimedRecorder(clock);
  return {
    run: (request, signal) =>
      ends.of(
        () => inner.run(request, signal),
        ({ n, ...passed }) => {
          const { argv, stdin, purpose } = request;
          const recorded: RecordedProcess = { type: "process", n, run: purpose.run, argv, stdin, ...passed };
          sink.write({
            run: purpose.run,
            bytes: measureEnd(passed.end),
            redacted: () => redactProcess(recorded, redact),
          });
        },
      ),
  };
}

function measureEnd(end: ProcessEnd | undefined): number {
  return end?.type === "ended" ? end.stdout.length + end.stderr.length : 0;
}

async function redactProcess(recorded: RecordedProcess, redact: Redact): Promise<RecordedProcess> {
  const { argv, stdin = null, end = null } = recorded;
  const steps = new StepRedactor(redact).value({ argv, stdin, end } as JsonValue);
  // A redacted value has the shape that it had.
  const redacted = (await runCooperatively(steps)) as unknown as Pick<RecordedProcess, "argv" | "stdin" | "end">;
  return { ...recorded, argv: redacted.argv, stdin: redacted.stdin ?? undefined, end: redacted.end ?? undefined };
}
