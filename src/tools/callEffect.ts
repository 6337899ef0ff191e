// The effect of a call, as its approver is shown it and as its plan holds it. Has no effect itself.
import { createHash } from "node:crypto";
import { canonicalArguments } from "../core/callKey.ts";
import { exactObjectOf } from "../core/exactArguments.ts";
import type { ToolCall } from "../core/messages.ts";
import type { CallEffect, Tool } from "./Tool.ts";

/** Undefined where the tool's name and the arguments say all that is known, and where the call would be refused. */
export function effectOf(tool: Pick<Tool, "effect">, call: Pick<ToolCall, "arguments">): CallEffect | undefined {
  const args = exactObjectOf(call.arguments);
  try {
    return args && tool.effect?.(args);
  } catch {
    return undefined;
  }
}

/** SHA-256, hex: equal for two calls that would do the same, whatever ids they have and however their arguments are written. */
export function deedHash(tool: Tool, call: Pick<ToolCall, "arguments">): string {
  const effect = effectOf(tool, call);
  const deed = effect ? [effect.deed] : [tool.registeredAs ?? tool.spec.name, canonicalArguments(call.arguments)];
  return createHash("sha256").update(JSON.stringify(deed)).digest("hex");
}
