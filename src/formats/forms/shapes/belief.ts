// How a shape without marks is believed: by where it stands, by what the model is known for, and because it fits. Reads no shape.
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

/** Characters of content that may precede a fenced call of a model that is not known to write them. */
const LEAD_IN_LIMIT = 300;

/** Whether a generic shape could stand here at all, by the text before it. */
export function isAnswerPosition(turn: Turn, shape: Shape): boolean {
  if (turn.shown === 0 || turn.isAtCall) return true;
  if (turn.sink.callCount > 0) return false;
  if (isTrusted(turn, shape)) return true;
  return shape === "fence" && turn.shown <= LEAD_IN_LIMIT && turn.options.without?.has("lead-in:fence") !== true;
}

/** Whether the request asked for a shape or the model is known to write it, so that text may follow it. */
export function isTrusted(turn: Turn, shape: Shape): boolean {
  const { toolMode, emulate, formats, heldToCall } = turn.options;
  if (heldToCall && shape === "json") return true;
  const families = familiesWriting(shape);
  if (toolMode === "text") return emulate === undefined || families.includes(emulate);
  return formats.some((format) => families.includes(format));
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
