// Encodes the calls of an answer as functions, as custom tools, or as the legacy `function_call`.
import { withProviderFields } from "../../../core/events/providerFields.ts";
import type { JsonObject, ToolCall } from "../../../core/messages.ts";
import { unwrapCustomInput } from "./customTools.ts";

export interface CallSpelling {
  /** Names of the tools that the request offered as custom ones. */
  readonly custom: ReadonlySet<string>;
  /** True for a legacy request with `functions`: its answer has at most one call, in `function_call`. */
  readonly legacy: boolean;
}

/** Spelling for a request with functions in `tools`, or without tools. */
export const FUNCTIONS: CallSpelling = { custom: new Set(), legacy: false };

/** Spelling for a request with the legacy field `functions`. */
export const LEGACY: CallSpelling = { ...FUNCTIONS, legacy: true };

/** @param custom names of the tools that were offered as custom ones. */
export function createCallSpelling(custom: readonly string[]): CallSpelling {
  return custom.length > 0 ? { ...FUNCTIONS, custom: new Set(custom) } : FUNCTIONS;
}

/** The field of a complete message that contains its calls; empty if there are none. */
export function callFields(calls: readonly ToolCall[], spelling: CallSpelling): JsonObject {
  const [first] = calls;
  if (!first) return {};
  if (spelling.legacy) return { function_call: legacyCall(first) };
  return { tool_calls: calls.map((call) => wireCall(call, spelling)) };
}

/** The deltas of one call, in the two steps that clients expect: the name first, then the arguments. */
export function callDeltas(
  call: ToolCall,
  index: number,
  spelling: CallSpelling,
): { readonly opening: JsonObject; readonly rest: JsonObject } {
  if (spelling.legacy) {
    const { name, arguments: text } = legacyCall(call);
    return {
      opening: { function_call: { name: name ?? "", arguments: "" } },
      rest: { function_call: { arguments: text ?? "" } },
    };
  }
  const isCustom = spelling.custom.has(call.name);
  const opening = { index, ...wireCall({ ...call, arguments: "" }, spelling) };
  const spelled = isCustom
    ? { custom: { input: unwrapCustomInput(call.arguments) } }
    : { function: { arguments: call.arguments } };
  return { opening: { tool_calls: [opening] }, rest: { tool_calls: [{ index, ...spelled }] } };
}

/** A call as a complete message contains it. */
export function wireCall(
  { id, name, arguments: text, extra }: ToolCall,
  { custom }: CallSpelling = FUNCTIONS,
): JsonObject {
  if (!custom.has(name))
    return withProviderFields(extra, { id, type: "function", function: { name, arguments: text } });
  const { function: _inner, ...outer } = extra ?? {};
  return { ...outer, id, type: "custom", custom: { name, input: unwrapCustomInput(text) } };
}

function legacyCall({ name, arguments: text }: ToolCall): JsonObject {
  return { name, arguments: text };
}
