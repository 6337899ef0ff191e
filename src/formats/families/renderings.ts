// How models are asked to write a family's calls, by the family: rows that say what differs from the usual. The parser needs none of it.
import { jsonResults, onLines, type Rendering } from "../notation/Rendering.ts";
import { JSON_RENDERINGS } from "./jsonRenderings.ts";
import { TAG_RENDERINGS } from "./tagRenderings.ts";
import { TEXT_RENDERINGS } from "./textRenderings.ts";

/** What most rows say: text stands on lines of its own before a call, and results are JSON between tags. */
const USUAL = { preamble: onLines, results: jsonResults, stop: [], marks: ["<tool_response>", "</tool_response>"] };

/** Every family that a model can be asked to write. */
export const RENDERINGS: ReadonlyMap<string, Rendering> = new Map(
  [...JSON_RENDERINGS, ...TAG_RENDERINGS, ...TEXT_RENDERINGS].map(({ id, ...row }) => [id, { ...USUAL, ...row }]),
);

/** The rendering of `emulate`; an unknown id gets that of the first row, the most widely trained form. */
export function renderingOf(emulate: string): Rendering {
  const [first] = RENDERINGS.values();
  const rendering = RENDERINGS.get(emulate) ?? first;
  if (!rendering) throw new Error("No family has a rendering.");
  return rendering;
}
