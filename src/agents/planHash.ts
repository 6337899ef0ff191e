// The fingerprint of a call that a person decides about: what they agreed to is this, and nothing that differs in one character. Pure.
import { createHash } from "node:crypto";
import type { ToolCall } from "../core/messages.ts";
import type { RunState } from "../core/run.ts";
import type { Tool } from "../tools/Tool.ts";

/** SHA-256, hex, of whose run and which call it is, of the tool with its rules as they are now, and of the arguments as they would run. */
export function planHash(
  { id: run, request }: Pick<RunState, "id" | "request">,
  call: Pick<ToolCall, "id" | "name" | "arguments">,
  tool: Pick<Tool, "spec" | "approval" | "onReject" | "definition">,
): string {
  const { spec, approval = null, onReject = null } = tool;
  const definition = sha256([spec, approval, onReject, ...(tool.definition ? [tool.definition.hash] : [])]);
  return sha256([request.caller.name, run, call.id, call.name, definition, call.arguments]);
}

function sha256(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
