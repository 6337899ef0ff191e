// Selects the prompt lines of a model's profile about its calls.
import type { ToolSpec } from "../messages.ts";

/** Placeholder of the form of a call, which contains no name of an offered tool. */
const FORM = "{call}";

/**
 * The lines without those that name an offered tool, because an example must not be a call that could be made.
 * @param form the form of a call; absent in native mode, in which lines with one are left out.
 */
export function selectPromptLines(
  lines: readonly string[],
  tools: readonly ToolSpec[],
  form?: string,
): readonly string[] {
  const toolNames = new Set(tools.map(({ name }) => name));
  return lines
    .filter(
      (line) =>
        !(line.match(/[\w.:/-]+/g) ?? []).some((word) => toolNames.has(word) || toolNames.has(trimPunctuation(word))),
    )
    .flatMap((line) => (form === undefined && line.includes(FORM) ? [] : [line.replaceAll(FORM, () => form ?? "")]));
}

/** Removes punctuation around a name, for example at the end of a sentence. */
function trimPunctuation(word: string): string {
  return word.replace(/^[.:/-]+|[.:/-]+$/g, "");
}
