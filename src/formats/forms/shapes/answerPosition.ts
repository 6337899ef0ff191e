// Whether a shape without marks could be an answer where it stands: by the text before it and by what the model is known for.
// Reads no shape.
import type { Shape } from "../../families/FamilyRow.ts";
import { familiesWriting, SHAPES } from "../../families/tables.ts";
import type { Turn } from "../../turn/Turn.ts";

/** Characters of content that may precede a fenced call of a model that is not known to write them. */
const LEAD_IN_LIMIT = 300;

/** Whether a generic shape could stand here at all, by the text before it. */
export function isAnswerPosition(turn: Turn, shape: Shape): boolean {
  if (turn.shown === 0 || turn.isAtCall) return true;
  if (turn.callCount > 0) return false;
  if (isTrusted(turn, shape)) return true;
  if (turn.shown > LEAD_IN_LIMIT) return false;
  const tolerance = shape === "fence" ? "lead-in:fence" : "lead-in:colon";
  return (shape === "fence" || turn.lastShown === ":") && turn.options.without?.has(tolerance) !== true;
}

/** Whether a family writes a shape that `isTrusted`. */
export function isFamilyTrusted(turn: Turn, family: string): boolean {
  return SHAPES.some((shape) => familiesWriting(shape).includes(family) && isTrusted(turn, shape));
}

/** Whether the request asked for a shape or the model is known to write it, so that text may follow it. */
export function isTrusted(turn: Turn, shape: Shape): boolean {
  const { toolMode, emulate, formats, heldToCall } = turn.options;
  if (heldToCall && shape === "json") return true;
  const families = familiesWriting(shape);
  if (toolMode === "text") return emulate === undefined || families.includes(emulate);
  return formats.some((format) => families.includes(format));
}
