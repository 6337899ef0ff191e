// Whether two JSON values are the same text. Knows no meaning of theirs.
import type { JsonValue } from "./messages.ts";

/** True where both would be written as the same JSON, the order of members included. Looks no further than the smaller of them. */
export function sameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) return sameLists(one, other);
  const names = Object.keys(other);
  let at = 0;
  // Without a list of the names of both: this is asked of every value that a request holds.
  for (const name in one) {
    if (name !== names[at] || !sameJson((one as Members)[name], (other as Members)[name])) return false;
    at += 1;
  }
  return at === names.length;
}

type Members = Readonly<Record<string, JsonValue>>;

function sameLists(one: JsonValue, other: JsonValue): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!sameJson(one[at], other[at])) return false;
  return true;
}
