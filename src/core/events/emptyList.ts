// An empty list that stands where others hold something. Knows not what.
import type { ToolSpec } from "../messages.ts";

/**
 * Nothing, in a list of the kind that lists of objects and texts are: to V8 `[]` is of another, and what has met nothing but that is
 * compiled anew for the first list that holds something (decisions/0104).
 */
export function createEmptyList<Value extends object | string>(like: Value): Value[] {
  const list = [like];
  list.pop();
  return list;
}

/** The list of whoever offers none: one, since much is kept by the list itself. */
export const NO_TOOLS: readonly ToolSpec[] = createEmptyList({ name: "" });
