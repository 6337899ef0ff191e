// The one list of renderings by family id. Knows nothing of requests or parsing.
import { HEADER_BODIES } from "./headerBodies.ts";
import { DEFAULT_RENDERING, JSON_BODIES } from "./jsonBodies.ts";
import { LABELLED_TEXT } from "./labelledText.ts";
import { LITERAL_BODIES } from "./literalBodies.ts";
import { PYTHON_BODIES } from "./pythonBodies.ts";
import type { Rendering } from "./Rendering.ts";
import { TAGGED_BODIES } from "./taggedBodies.ts";

/** Every family that a model can be asked to write. */
export const RENDERINGS: ReadonlyMap<string, Rendering> = new Map(
  [...JSON_BODIES, ...HEADER_BODIES, ...TAGGED_BODIES, ...PYTHON_BODIES, ...LITERAL_BODIES, ...LABELLED_TEXT].map(
    (rendering) => [rendering.family, rendering],
  ),
);

/** The rendering of `emulate`; an unknown id gets the most widely trained form. */
export function renderingOf(emulate: string): Rendering {
  return RENDERINGS.get(emulate) ?? DEFAULT_RENDERING;
}
