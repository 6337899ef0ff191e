// Creates the recording layers and observers. Loaded only if a recording is made.
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
  /** Records requests of clients, and the tool definitions that runs are shown. */
  readonly observer: Observer;
  /** Records exchanges. */
  recorded(inner: Egress): Egress;
  /** Records programs. */
  recordedProcesses(inner: ProcessPort): ProcessPort;
  /** Records calls of MCP tools. */
  readonly aroundServedCalls: McpCallInterceptor;
}

/** @param folder folder into which every run is recorded. */
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
 * Kinds of requests that belong to no run, so that no transcript contains them: model lists, probes, MCP messages,
 * pass-through and webhooks. Memory searches are left out too, because a replay has no memories.
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
