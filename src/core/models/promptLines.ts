// What a model's row says to it about its calls, as a prompt may show it. Knows no model and writes no line of its own.
import type { ToolSpec } from "../messages.ts";

/** Stands in a line for the form of a call, in which nothing is the name of an offered tool. */
const FORM = "{call}";

/**
 * The lines without those that name an offered tool: what a prompt says of a call must never be one that could be made.
 * @param form the form of a call; absent where calls are no text, and then a line that shows one is left out.
 */
export function selectPromptLines(
  lines: readonly string[],
  tools: readonly ToolSpec[],
  form?: string,
): readonly string[] {
  const offered = new Set(tools.map(({ name }) => name));
  return lines
    .filter((line) => !(line.match(/[\w.:/-]+/g) ?? []).some((word) => offered.has(word) || offered.has(trimmed(word))))
    .flatMap((line) => (form === undefined && line.includes(FORM) ? [] : [line.replaceAll(FORM, () => form ?? "")]));
}

/** A name at the end of a sentence is still that name. */
function trimmed(word: string): string {
  return word.replace(/^[.:/-]+|[.:/-]+$/g, "");
}
