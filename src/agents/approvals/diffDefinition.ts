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
  const changes: DefinitionChange[] = [];
  collect({ was, is, at: [] }, changes);
  if (changes.length <= MOST) return changes;
  return [...changes.slice(0, MOST), { at: `and ${changes.length - MOST} more` }];
}

interface Compared {
  readonly was: JsonValue | undefined;
  readonly is: JsonValue | undefined;
  readonly at: readonly string[];
}

function collect({ was, is, at }: Compared, changes: DefinitionChange[]): void {
  if (isObject(was) && isObject(is)) {
    for (const key of new Set([...Object.keys(is), ...Object.keys(was)]))
      collect({ was: getOwn(was, key), is: getOwn(is, key), at: [...at, key] }, changes);
    return;
  }
  if (JSON.stringify(was) !== JSON.stringify(is))
    changes.push({ at: escapeInvisible(at.join(".")), was: shown(was), is: shown(is) });
}

function shown(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return escapeInvisible(text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text);
}
