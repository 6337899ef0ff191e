// A person's answer held against the form that was asked for. Runs nothing and asks nobody.
import type { JsonObject, ToolCall } from "../core/messages.ts";
import { objectOf } from "../core/objectText.ts";
import { type FittedCall, fitAgain } from "./fitAgain.ts";

/** The call with the answer as its arguments, spelt as the form wants them, or why it does not fit: a sentence. Of a form with one field plain words are that field. */
export function fitAnswer(call: ToolCall, response: string, form: JsonObject): FittedCall {
  const fields = Object.keys((form.properties as JsonObject | undefined) ?? {});
  const [only] = fields;
  const isWords = objectOf(response) === undefined && fields.length === 1 && only !== undefined;
  const args = isWords ? JSON.stringify({ [only]: response }) : response;
  const answer = { ...call, name: ANSWER, arguments: args };
  return fitAgain(answer, { spec: { name: ANSWER, description: "", parameters: form } });
}

/** What the form is called where a misfit is told. */
const ANSWER = "the_answer";
