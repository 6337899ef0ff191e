// Whether a value is a part of another, as is left of one that was put together wrongly. Knows no field.
import { isObject, type JsonValue } from "../core/messages.ts";

/** Entries of a list that are looked at; of longer ones nothing is said. */
const MOST = 64;

/**
 * True where a text stands in the other, where each member of an object is a piece of the other's member of that name, and where each
 * entry of a list is a piece of some entry of the other. Anything else is a piece of its equal.
 */
export function isPieceOf(piece: JsonValue, whole: JsonValue | undefined): boolean {
  if (whole === undefined) return false;
  if (typeof piece === "string") return typeof whole === "string" && whole.includes(piece);
  if (isList(piece)) {
    if (!isList(whole) || piece.length > MOST || whole.length > MOST) return false;
    return piece.every((one) => whole.some((other) => isPieceOf(one, other)));
  }
  if (isObject(piece)) {
    return isObject(whole) && Object.entries(piece).every(([name, member]) => isPieceOf(member, whole[name]));
  }
  return piece === whole;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
