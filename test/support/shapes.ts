// What V8 says of the shapes of objects: functions are compiled for those that they have met.
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--allow-natives-syntax");
const sameMap = new Function("one", "other", "return %HaveSameMap(one, other)") as (
  one: unknown,
  other: unknown,
) => boolean;
setFlagsFromString("--no-allow-natives-syntax");

/** Whether both have the same members in the same order, to V8 too; of lists, whether they are lists of the same kind of values. */
export function haveOneShape(one: unknown, other: unknown): boolean {
  return sameMap(one, other);
}
