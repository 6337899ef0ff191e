// Computes the hash of a call that waits for an approval. An approval is valid for exactly this hash. Pure.
import { createHash } from "node:crypto";
import type { ToolCall } from "../../core/messages.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { describeEffect } from "../../tools/execution/callEffect.ts";
import type { Tool } from "../../tools/Tool.ts";

/** Changes with the content of a plan, so that an approval from an older version is valid for no other plan (decisions/0107). */
const FORM = 2;

/**
 * SHA-256, hex, of the run with its owner, the call, the tool with its rules, the exact arguments, and the effect that
 * the call would have under the current configuration. Keys are redacted before they are hashed.
 */
export function planHash(
  { id: run, request }: Pick<RunState, "id" | "request">,
  call: Pick<ToolCall, "id" | "name" | "arguments">,
  tool: Pick<Tool, "spec" | "approval" | "onReject" | "definition" | "effect">,
): string {
  const { spec, approval = null, onReject = null } = tool;
  const definition = sha256([spec, approval, onReject, ...(tool.definition ? [tool.definition.hash] : [])]);
  const deed = describeEffect(tool, call)?.deed ?? null;
  return sha256([FORM, request.caller.name, run, call.id, call.name, definition, call.arguments, deed]);
}

function sha256(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
