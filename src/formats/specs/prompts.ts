// Prompt data by format: each entry has the differences from the usual. The parser does not use it.
import { indentLines, jsonResults, type PromptFormat } from "../prompts/PromptFormat.ts";
import { JSON_PROMPTS } from "./jsonPrompts.ts";
import { TAG_PROMPTS } from "./tagPrompts.ts";
import { TEXT_PROMPTS } from "./textPrompts.ts";

/** Usual values: text stands on lines of its own before a call, and results are JSON between tags. */
const USUAL = { preamble: indentLines, results: jsonResults, stop: [], marks: ["<tool_response>", "</tool_response>"] };

/** All formats that a model can be asked to write. */
export const RENDERINGS: ReadonlyMap<string, PromptFormat> = new Map(
  [...JSON_PROMPTS, ...TAG_PROMPTS, ...TEXT_PROMPTS].map(({ id, ...spec }) => [id, { ...USUAL, ...spec }]),
);

/** Returns the prompt data of `emulate`. An unknown id gets those of the first format, the most widely trained form. */
export function resolveRendering(emulate: string): PromptFormat {
  const [first] = RENDERINGS.values();
  const rendering = RENDERINGS.get(emulate) ?? first;
  if (!rendering) throw new Error("No family has a rendering.");
  return rendering;
}
