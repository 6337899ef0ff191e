// Converts a structured call that could not be read: unchanged, and in a form that a history may contain.

import { isObjectText } from "../../core/json/jsonObjectText.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { RefusedCall } from "../../core/runs/RunState.ts";

type Written = Pick<RefusedCall, "id" | "name" | "arguments" | "extra">;

/** The call as the model wrote it, valid or not. */
export function createUncheckedCall({ id, name, arguments: text, extra }: Written): ToolCall {
  const call = { id, name, arguments: text, origin: "native", repairs: [], raw: text };
  return { ...call, unchecked: true, ...(extra && { extra }) };
}

/** The call for the history. Servers parse arguments and check names, so invalid parts are replaced. */
export function toHistoryCall(call: Written): ToolCall {
  const text = isObjectText(call.arguments) ? call.arguments : "{}";
  return { ...createUncheckedCall(call), name: toLegalName(call.name), arguments: text };
}

export function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
