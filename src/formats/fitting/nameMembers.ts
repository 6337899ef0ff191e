// Which property each member of an object is for: its own key, or the one missing property that a near miss can only mean. Sees no values.
import type { JsonMember } from "../bodies/jsonSpans.ts";
import { fold, letters } from "./resolveName.ts";
import type { Spellings } from "./Spellings.ts";
import type { Shape } from "./schemaTypes.ts";

/** `spellings`: the properties of `shape`. */
export function nameMembers(members: readonly JsonMember[], shape: Shape, spellings: Spellings): readonly string[] {
  const written = members.map((member) => member.key);
  const isOpen = shape.properties.size === 0 || typeof shape.additional === "object";
  const strays = isOpen ? [] : written.filter((key) => !shape.properties.has(key));
  if (strays.length === 0 || strays.length > maxStrays) return written;
  const given = new Set(written);
  const renamed = new Map<string, string>();
  for (const [spelling, spell] of [["fold", fold] as const, ["letters", letters] as const]) {
    for (const key of strays) {
      const name = onlyFree(spellings.like(key, spelling), given);
      const rivals = strays.filter((other) => spell(other) === spell(key));
      if (name !== undefined && rivals.length === 1 && !renamed.has(key)) renamed.set(key, name);
    }
  }
  return new Set(renamed.values()).size < renamed.size ? written : written.map((key) => renamed.get(key) ?? key);
}

/** Unknown keys for which a near miss is looked for; an object with more of them is no misspelt one. */
const maxStrays = 16;

/** The one name that is not given; looks no further where more must be free. */
function onlyFree(names: readonly string[], given: ReadonlySet<string>): string | undefined {
  if (names.length > given.size + 1) return undefined;
  const free = names.filter((name) => !given.has(name));
  return free.length === 1 ? free[0] : undefined;
}
