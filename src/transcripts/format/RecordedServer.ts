// Lines of a transcript about tool servers: the definitions that the run was shown, and the results of calls.
import { z } from "zod";
import type { McpCall, McpCallResult, OfferedToolDefinition } from "../../core/tools/mcpCalls.ts";
import type { TimedEnd } from "../record/TimedRecorder.ts";

const object = z.record(z.string(), z.unknown());
const number = z.int().min(0);

/** `ms` is from its sending to its end; without `end` its run was over first. */
export const MCP_CALL = z.strictObject({
  type: z.literal("mcp-call"),
  /** Its number at its sending; grows within a file. */
  n: number,
  run: z.string(),
  server: z.string(),
  tool: z.string(),
  arguments: object,
  at: z.iso.datetime(),
  ms: z.number().min(0),
  end: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("result"), result: object }),
      z.strictObject({ type: z.literal("failed"), message: z.string() }),
    ])
    .optional(),
});

export const OFFERED_TOOLS = z.strictObject({
  type: z.literal("mcp-tools"),
  n: number,
  run: z.string(),
  at: z.iso.datetime(),
  server: z.string(),
  tools: z.array(z.strictObject({ listed: object, agreed: z.boolean() })),
});

export interface RecordedMcpCall extends McpCall, TimedEnd<McpCallResult> {
  readonly type: "mcp-call";
}

export interface RecordedTools {
  readonly type: "mcp-tools";
  readonly n: number;
  readonly run: string;
  readonly at: string;
  readonly server: string;
  readonly tools: readonly OfferedToolDefinition[];
}
