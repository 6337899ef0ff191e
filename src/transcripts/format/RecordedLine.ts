// Lines of a transcript other than exchanges: programs, tool definitions and calls of tool servers.
import { PROCESS, type RecordedProcess } from "./RecordedProcess.ts";
import { MCP_CALL, OFFERED_TOOLS, type RecordedMcpCall, type RecordedTools } from "./RecordedServer.ts";

export type RecordedLine = RecordedProcess | RecordedTools | RecordedMcpCall;

/** The shapes of such lines. */
export const LINE_SCHEMAS = [PROCESS, OFFERED_TOOLS, MCP_CALL] as const;

export interface LinesByKind {
  /** In the order of their starts; absent: none. */
  readonly processes?: readonly RecordedProcess[] | undefined;
  /** Tool definitions that the run was shown, in order. Absent: none. */
  readonly shownTools?: readonly RecordedTools[] | undefined;
  /** In the order of their sending; absent: none. */
  readonly servedCalls?: readonly RecordedMcpCall[] | undefined;
}

const TYPES: ReadonlySet<string> = new Set<RecordedLine["type"]>(["process", "mcp-tools", "mcp-call"]);

export function isLine<Entry extends { readonly type: string }>(
  entry: Entry,
): entry is Extract<Entry, { type: RecordedLine["type"] }> {
  return TYPES.has(entry.type);
}

/** Each kind in the order of its numbers; a kind of which there is none is absent. */
export function groupByKind(lines: readonly RecordedLine[]): LinesByKind {
  const sorted = lines.toSorted((a, b) => a.n - b.n);
  const processes = sorted.filter((one) => one.type === "process");
  const shownTools = sorted.filter((one) => one.type === "mcp-tools");
  const servedCalls = sorted.filter((one) => one.type === "mcp-call");
  return {
    ...(processes.length > 0 && { processes }),
    ...(shownTools.length > 0 && { shownTools }),
    ...(servedCalls.length > 0 && { servedCalls }),
  };
}

/** All of them, kind by kind. */
export function listRecordedLines({
  processes = [],
  shownTools = [],
  servedCalls = [],
}: LinesByKind): readonly RecordedLine[] {
  return [...processes, ...shownTools, ...servedCalls];
}
