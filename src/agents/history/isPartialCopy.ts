// Compares a value with a streamed value of which a client stored only the last chunk.
import { isObject, type JsonValue } from "../../core/messages.ts";

/** Maximum number of comparisons; beyond it the result is false, because both values may be untrusted. */
const MOST_STEPS = 10_000;

/**
 * Returns true if a text is the end of the other text, if each member of an object is a part of the other's member, and
 * if each entry of a list is a part of some entry of the other. Other values must be equal.
 */
export function isPartialCopy(
  piece: JsonValue,
  complete: JsonValue | undefined,
  budget = { steps: MOST_STEPS },
): boolean {
  budget.steps -= 1;
  if (complete === undefined || budget.steps < 0) return false;
  // A search at every offset could take time proportional to the product of both lengths.
  if (typeof piece === "string") return typeof complete === "string" && complete.endsWith(piece);
  if (isList(piece))
    return isList(complete) && piece.every((one) => complete.some((other) => isPartialCopy(one, other, budget)));
  if (isObject(piece)) {
    const members = Object.entries(piece);
    budget.steps -= members.length;
    return isObject(complete) && members.every(([name, member]) => isPartialCopy(member, complete[name], budget));
  }
  return piece === complete;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
