// Creates empty lists that V8 treats like the filled ones.
import type { ToolSpec } from "../messages.ts";

/**
 * An empty list with the V8 element kind of lists of objects or texts. `[]` has another kind, so that code would be
 * compiled again for the first filled list (decisions/0104).
 */
export function createEmptyList<Value extends object | string>(like: Value): Value[] {
  const list = [like];
  list.pop();
  return list;
}

/** The empty tool list. One shared object, because caches use the list as a key. */
export const NO_TOOLS: readonly ToolSpec[] = createEmptyList({ name: "" });
