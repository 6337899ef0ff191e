// The calls of one generic shape: fitted to the offered tools, all or none, and counted under the family that writes the shape.
import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import type { Shape } from "../../families/FamilyRow.ts";
import { familiesWriting } from "../../families/tables.ts";
import type { FittedCall } from "../../turn/TextSink.ts";
import type { Turn } from "../../turn/Turn.ts";

/** What one candidate shape turned out to be. */
export interface ShapeRead {
  readonly calls: readonly FittedCall[];
  readonly shape: Shape;
}

/** Fits candidates of a shape; undefined unless there are any and every one of them is a call. */
export function fitShape(
  turn: Turn,
  shape: Shape,
  candidates: readonly CallCandidate[] | undefined,
  family: string = familyOf(turn, shape),
): ShapeRead | undefined {
  if (turn.options.without?.has(`shape:${shape}`)) return undefined;
  const calls = candidates && turn.fit(candidates, family);
  return calls && { calls, shape };
}

/** The family that a generic shape is counted as: the model's own, if it is known for one of this shape. */
export function familyOf(turn: Turn, shape: Shape): string {
  const families = familiesWriting(shape);
  const { emulate, formats } = turn.options;
  const own = [...(emulate ? [emulate] : []), ...formats].find((format) => families.includes(format));
  return own ?? families[0] ?? shape;
}
