// Decides if a shape without markers is accepted: by its position, by the model's known formats, and by the fit of its calls.
import type { CallCandidate } from "../../decoders/CallCandidate.ts";
import type { CallShape } from "../../specs/FormatSpec.ts";
import { listFormatsWriting } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";
import type { FittedCall } from "../../state/TextSink.ts";

/** Result of one candidate shape. */
export interface ShapeRead {
  readonly calls: readonly FittedCall[];
  readonly shape: CallShape;
}

/** Characters of content that may precede a fenced call of a model that is not known to write them. */
const LEAD_IN_LIMIT = 300;

/** Returns true if a generic shape may stand here, by the text before it. */
export function isAnswerPosition(state: ParserState, shape: CallShape): boolean {
  if (state.visibleCount === 0 || state.isAtCall) return true;
  if (state.sink.callCount > 0) return false;
  if (isShapeWritten(state, shape)) return true;
  return (
    shape === "fence" && state.visibleCount <= LEAD_IN_LIMIT && state.options.without?.has("lead-in:fence") !== true
  );
}

/** Returns true if the request asked for a shape or the model is known to write it, so that text may follow it. */
export function isShapeWritten(state: ParserState, shape: CallShape): boolean {
  const { toolMode, emulate, formats, heldToCall } = state.options;
  if (heldToCall && shape === "json") return true;
  const families = listFormatsWriting(shape);
  if (toolMode === "text") return emulate === undefined || families.includes(emulate);
  return formats.some((format) => families.includes(format));
}

/** Fits candidates of a shape; undefined unless there are any and every one of them is a call. */
export function fitShape(
  state: ParserState,
  shape: CallShape,
  candidates: readonly CallCandidate[] | undefined,
  formatId: string = resolveShapeFormat(state, shape),
): ShapeRead | undefined {
  if (state.options.without?.has(`shape:${shape}`)) return undefined;
  const calls = candidates && state.fitAll(candidates, formatId);
  return calls && { calls, shape };
}

/** Returns the format that a generic shape counts as: the model's own, if it is known for one of this shape. */
export function resolveShapeFormat(state: ParserState, shape: CallShape): string {
  const families = listFormatsWriting(shape);
  const { emulate, formats } = state.options;
  const ownFormat = [...(emulate ? [emulate] : []), ...formats].find((format) => families.includes(format));
  return ownFormat ?? families[0] ?? shape;
}
