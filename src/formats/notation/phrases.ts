// Sentences and shapes that several families share. Knows no family.
import { objectText } from "./callArguments.ts";
import type { CallText, ResultText, ToolList } from "./Rendering.ts";

export const NO_FENCE = "Never put a call into a code fence or quotation marks.";
export const RAW = "Write string values as they are, without quotation marks or escapes; all other values as JSON.";

/** A call as one JSON object. */
export function namedCall(call: CallText, argumentsKey: "arguments" | "parameters"): string {
  return `{"name": ${JSON.stringify(call.name)}, "${argumentsKey}": ${objectText(call.arguments)}}`;
}

/** The tool list as one text a line between two tags. */
export function toolsBetween(open: string, close: string, one: ToolList["one"]): ToolList {
  return { before: `# Tools\n\n${open}\n`, one, between: "\n", after: `\n${close}` };
}

/** Each result on lines of its own between two tags, in the order of the calls. */
export function taggedResults(open: string, close: string) {
  return (results: readonly ResultText[]): string =>
    results.map(({ content }) => `${open}\n${content}\n${close}`).join("\n");
}

/** Each result as JSON with the tool's name: for families whose own result is a role that the chat wire does not have. */
export function jsonResults(results: readonly ResultText[]): string {
  return results
    .map(
      ({ call, content }) =>
        `<tool_response>\n{"name": ${JSON.stringify(call.name)}, "content": ${JSON.stringify(content)}}\n</tool_response>`,
    )
    .join("\n");
}

/** Text before a call that starts on a line of its own. */
export function onLines(text: string): string {
  return `${text}\n`;
}
