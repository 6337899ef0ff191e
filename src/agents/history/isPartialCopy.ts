// Whether a value is what a stream left of another, to whoever kept its last piece alone. Knows no field.
import { isObject, type JsonValue } from "../../core/messages.ts";

/** Values that are compared; of what takes more nothing is said, for both may come from strangers. */
const MOST_STEPS = 10_000;

/**
 * True where a text is the other's end, where each member of an object is a piece of the other's member of that name, and where each
 * entry of a list is a piece of some entry of the other. Anything else is a piece of its equal.
 */
export function isPartialCopy(piece: JsonValue, whole: JsonValue | undefined, left = { steps: MOST_STEPS }): boolean {
  left.steps -= 1;
  if (whole === undefined || left.steps < 0) return false;
  // To look for it anywhere could take the product of both lengths.
  if (typeof piece === "string") return typeof whole === "string" && whole.endsWith(piece);
  if (isList(piece))
    return isList(whole) && piece.every((one) => whole.some((other) => isPartialCopy(one, other, left)));
  if (isObject(piece)) {
    const members = Object.entries(piece);
    left.steps -= members.length;
    return isObject(whole) && members.every(([name, member]) => isPartialCopy(member, whole[name], left));
  }
  return piece === whole;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
