// What recording takes, loaded only where something is recorded: who writes, what is told, and the layer that an exchange passes. Knows no network.
import type { Clock, Egress, ExchangePurpose, Observer, ProcessPort, Redact } from "./core/ports.ts";
import type { AroundServedCall } from "./core/servedCalls.ts";
import { fanOut } from "./telemetry/fanOut.ts";
import { recordEgress } from "./transcripts/recordEgress.ts";
import { recordProcesses } from "./transcripts/recordProcesses.ts";
import { recordRequests } from "./transcripts/recordRequests.ts";
import { recordServedCalls } from "./transcripts/recordServedCalls.ts";
import { recordShownTools } from "./transcripts/recordShownTools.ts";
import { TranscriptFolder } from "./transcripts/TranscriptFolder.ts";

type FolderOptions = ConstructorParameters<typeof TranscriptFolder>[1];

export interface Recording {
  readonly sink: Pick<TranscriptFolder, "flush">;
  /** Hears what callers ask, and what runs are shown. */
  readonly observer: Observer;
  /** The layer that writes exchanges down. */
  recorded(inner: Egress): Egress;
  /** The layer that writes programs down. */
  recordedProcesses(inner: ProcessPort): ProcessPort;
  /** The layer that writes calls of servers' tools down. */
  readonly aroundServedCalls: AroundServedCall;
}

/** @param folder what every run is recorded into. */
export function composeRecording(
  folder: string,
  { redact, clock, ...rest }: FolderOptions & { readonly redact: Redact; readonly clock: Clock },
): Recording {
  const sink = new TranscriptFolder(folder, rest);
  return {
    sink,
    observer: fanOut([recordRequests({ sink, redact }), recordShownTools({ sink, redact, clock })]),
    aroundServedCalls: recordServedCalls({ sink, redact, clock }),
    recordedProcesses: (inner) => recordProcesses(inner, { sink, redact, clock }),
    recorded: (inner) => onlyRuns(recordEgress(inner, { sink, redact, clock }), inner),
  };
}

/**
 * Lists of models, the gateway's own probes, what is said to servers of tools and what is only passed through belong to no run, so no
 * transcript has them. Nor what makes memories found: a replay remembers nothing.
 */
const OF_NO_RUN: ReadonlySet<ExchangePurpose["kind"]> = new Set([
  "model-list",
  "model-probe",
  "pass-through",
  "mcp",
  "webhook",
  "memory",
]);

function onlyRuns(recording: Egress, silent: Egress): Egress {
  return {
    send: (request, signal) => (OF_NO_RUN.has(request.purpose.kind) ? silent : recording).send(request, signal),
  };
}
