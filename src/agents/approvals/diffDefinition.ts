// Lists the changes between two definitions of a tool, for an approver who agreed to the earlier one. Pure.

import { escapeInvisible } from "../../core/json/escapeInvisible.ts";
import { getOwn, isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { DefinitionChange } from "../../core/tools/toolDefinition.ts";

/** Maximum number of changes listed; a last entry counts the rest. */
const MOST = 20;
/** Maximum number of characters shown of a value. */
const SHOWN = 2_000;

/** Lists changes in the order of the current keys, then the removed keys. Empty if only the order differs. */
export function diffDefinition(was: JsonObject, is: JsonObject): readonly DefinitionChange[] {
  const differences: DefinitionChange[] = [];
  collect({ was, is, at: [] }, differences);
  if (differences.length <= MOST) return differences;
  return [...differences.slice(0, MOST), { at: `and ${differences.length - MOST} more` }];
}

interface Compared {
  readonly was: JsonValue | undefined;
  readonly is: JsonValue | undefined;
  readonly at: readonly string[];
}

function collect({ was, is, at }: Compared, differences: DefinitionChange[]): void {
  if (isObject(was) && isObject(is)) {
    for (const key of new Set([...Object.keys(is), ...Object.keys(was)]))
      collect({ was: getOwn(was, key), is: getOwn(is, key), at: [...at, key] }, differences);
    return;
  }
  if (JSON.stringify(was) !== JSON.stringify(is))
    differences.push({ at: escapeInvisible(at.join(".")), was: toText(was), is: toText(is) });
}

function toText(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return escapeInvisible(text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text);
}
