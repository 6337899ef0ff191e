// Arguments held against a tool's schema once more: of a call that came unchecked, and of those that a person wrote. Runs nothing.
import type { ToolCall } from "../core/messages.ts";
import { fitCall } from "../formats/fitting/fitCall.ts";
import { readNativeCalls } from "../formats/fitting/nativeCalls.ts";
import type { Tool } from "../tools/Tool.ts";

/** The call as it may run, or why it may not: a sentence. */
export type FittedCall =
  | { readonly type: "fits"; readonly call: ToolCall }
  | { readonly type: "misfit"; readonly reason: string };

export function fitAgain(call: ToolCall, { spec }: Pick<Tool, "spec">): FittedCall {
  const [candidate, ...more] = readNativeCalls({ name: call.name, arguments: call.arguments });
  const context = { tools: [spec], family: call.origin, raw: call.raw };
  const fit = candidate && more.length === 0 ? fitCall(candidate, context) : undefined;
  if (fit?.type === "call") return { type: "fits", call: { ...call, arguments: fit.arguments } };
  return { type: "misfit", reason: fit?.issue.message ?? `The call of ${call.name} could not be read.` };
}
