// What recording takes, loaded only where something is recorded: who writes, what is told, and the layer that an exchange passes. Knows no network.
import type { Clock, Egress, Observer, ProcessPort, Redact, RequestPurpose } from "../core/ports.ts";
import type { McpCallInterceptor } from "../core/tools/mcpCalls.ts";
import { createFanOut } from "../telemetry/fanOut.ts";
import { recordEgress } from "../transcripts/record/recordEgress.ts";
import { recordMcpCalls } from "../transcripts/record/recordMcpCalls.ts";
import { recordProcesses } from "../transcripts/record/recordProcesses.ts";
import { recordRequests } from "../transcripts/record/recordRequests.ts";
import { recordToolDefinitions } from "../transcripts/record/recordToolDefinitions.ts";
import { TranscriptFolder } from "../transcripts/record/TranscriptFolder.ts";

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
  readonly aroundServedCalls: McpCallInterceptor;
}

/** @param folder what every run is recorded into. */
export function createRecorder(
  folder: string,
  { redact, clock, ...rest }: FolderOptions & { readonly redact: Redact; readonly clock: Clock },
): Recording {
  const sink = new TranscriptFolder(folder, rest);
  return {
    sink,
    observer: createFanOut([recordRequests({ sink, redact }), recordToolDefinitions({ sink, redact, clock })]),
    aroundServedCalls: recordMcpCalls({ sink, redact, clock }),
    recordedProcesses: (inner) => recordProcesses(inner, { sink, redact, clock }),
    recorded: (inner) => onlyRuns(recordEgress(inner, { sink, redact, clock }), inner),
  };
}

/**
 * Lists of models, the gateway's own probes, what is said to servers of tools and what is only passed through belong to no run, so no
 * transcript has them. Nor what makes memories found: a replay remembers nothing.
 */
const OF_NO_RUN: ReadonlySet<RequestPurpose["kind"]> = new Set([
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
