// Validates arguments against a tool's schema again: for unchecked calls and for arguments that an approver wrote.

import { parseObject } from "../../core/json/jsonObjectText.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import { fitCall } from "../../formats/validation/fitCall.ts";
import { readNativeCalls } from "../../formats/validation/normalizeNativeCall.ts";
import type { Tool } from "../../tools/Tool.ts";

/** The call as it may run, or the reason why it must not, as a sentence. */
export type RevalidatedCall =
  | { readonly type: "fits"; readonly call: ToolCall }
  | { readonly type: "misfit"; readonly reason: string };

export function fitAgain(call: ToolCall, { spec }: Pick<Tool, "spec">): RevalidatedCall {
  const [candidate, ...more] = readNativeCalls({ name: call.name, arguments: call.arguments });
  const context = { tools: [spec], family: call.origin, raw: call.raw };
  const fit = candidate && more.length === 0 ? fitCall(candidate, context) : undefined;
  if (fit?.type === "call") return { type: "fits", call: { ...call, arguments: fit.arguments } };
  return { type: "misfit", reason: fit?.issue.message ?? `The call of ${call.name} could not be read.` };
}

/** The call with the answer as its arguments, adapted to the form, or the reason why it does not match. If the form has one field, plain text is its value. */
export function fitAnswer(call: ToolCall, response: string, form: JsonObject): RevalidatedCall {
  const fields = Object.keys((form.properties as JsonObject | undefined) ?? {});
  const [only] = fields;
  const isWords = parseObject(response) === undefined && fields.length === 1 && only !== undefined;
  const args = isWords ? JSON.stringify({ [only]: response }) : response;
  const answer = { ...call, name: ANSWER, arguments: args };
  return fitAgain(answer, { spec: { name: ANSWER, description: "", parameters: form } });
}

/** Name of the form in error messages. */
const ANSWER = "the_answer";
