// The ids of all format families, gathered from the tables that define them. What configuration may name.
import { BLOCKS } from "./families/blocks.ts";
import { SECTIONS } from "./families/sections.ts";
import { SHAPE_FAMILIES } from "./families/shapes.ts";
import { RENDERINGS } from "./rendering/renderings.ts";

export const FAMILY_IDS: ReadonlySet<string> = new Set([
  ...BLOCKS.flatMap((row) => [...Object.values(row.families), ...Object.values(row.namespaces ?? {})]),
  ...SECTIONS.map((row) => row.family),
  ...Object.values(SHAPE_FAMILIES).flat(),
  ...RENDERINGS.keys(),
]);
