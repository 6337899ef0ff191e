// The one model behind every fake server: asked for the weather it calls a tool, told the weather it answers.
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/messages.ts";

/** What the model gives: words, or a call of `get_weather`. */
export type Said =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly arguments: string };

export const TOOL = "get_weather";
export const ARGUMENTS = '{"city": "Paris"}';
/** What the tool answers, and what the model then says. */
export const RESULT = "21 degrees";
export const ANSWER = "It is 21 degrees in Paris.";
/** A question that holds these words is answered with an object. */
export const FORM_WORDS = "into the form";
export const FORM = '{"city": "Paris", "degrees": 21}';
/** What a model writes that was shown its tools in a prompt, or whose server does not read its calls. */
const CALL_IN_TEXT = `<tool_call>\n{"name": "${TOOL}", "arguments": ${ARGUMENTS}}\n</tool_call>`;

/**
 * What it says to a body of the chat wire. Without a grammar it puts objects into a fence, as models do.
 * @param readsCalls whether the server makes structured calls of what the model writes.
 */
export function say(body: JsonObject, readsCalls: boolean): Said {
  const prompt = JSON.stringify(body.messages ?? []);
  if (prompt.includes(RESULT)) return { type: "text", text: ANSWER };
  if (prompt.includes(FORM_WORDS)) {
    return { type: "text", text: isHeld(body.response_format) ? FORM : `\`\`\`json\n${FORM}\n\`\`\`` };
  }
  const offered = Array.isArray(body.tools) && body.tools.length > 0;
  if (offered && readsCalls) return { type: "call", arguments: ARGUMENTS };
  return { type: "text", text: offered || prompt.includes(TOOL) ? CALL_IN_TEXT : "Hello." };
}

function isHeld(format: JsonValue | undefined): boolean {
  return isObject(format) && format.type !== "text";
}
