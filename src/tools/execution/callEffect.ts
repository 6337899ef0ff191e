// Renders the effect of a call for its approver and for its plan. Has no effect itself.
import { createHash } from "node:crypto";
import { parseExactObject } from "../../core/json/exactArguments.ts";
import type { ToolCall } from "../../core/messages.ts";
import { canonicalizeArguments } from "../../core/runs/callKey.ts";
import type { CallEffect, Tool } from "../Tool.ts";

/** Returns undefined if the tool's name and arguments describe the effect completely, and if the call would be refused. */
export function describeEffect(tool: Pick<Tool, "effect">, call: Pick<ToolCall, "arguments">): CallEffect | undefined {
  const args = parseExactObject(call.arguments);
  try {
    return args && tool.effect?.(args);
  } catch {
    return undefined;
  }
}

/** SHA-256, hex: equal for two calls that would do the same, whatever ids they have and however their arguments are written. */
export function hashEffect(tool: Tool, call: Pick<ToolCall, "arguments">): string {
  const effect = describeEffect(tool, call);
  const deed = effect ? [effect.deed] : [tool.registeredAs ?? tool.spec.name, canonicalizeArguments(call.arguments)];
  return createHash("sha256").update(JSON.stringify(deed)).digest("hex");
}
