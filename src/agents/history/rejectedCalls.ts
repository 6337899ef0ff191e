// A structured call that nobody could take: as it came, and in the form in which a history may show it. Judges no call.

import { isObjectText } from "../../core/json/jsonObjectText.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { RefusedCall } from "../../core/runs/RunState.ts";

type Written = Pick<RefusedCall, "id" | "name" | "arguments" | "extra">;

/** The call as the model wrote it, right or not. */
export function createUncheckedCall({ id, name, arguments: text, extra }: Written): ToolCall {
  const call = { id, name, arguments: text, origin: "native", repairs: [], raw: text };
  return { ...call, unchecked: true, ...(extra && { extra }) };
}

/** Servers parse the arguments of calls in the history and hold their names to a form, so what they could not read is left out. */
export function toHistoryCall(call: Written): ToolCall {
  const text = isObjectText(call.arguments) ? call.arguments : "{}";
  return { ...createUncheckedCall(call), name: toLegalName(call.name), arguments: text };
}

export function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
