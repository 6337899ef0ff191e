// The arguments of a call whose name has been read: a JSON object, or the round brackets of Python. Decides no name.

import { decodeJson } from "../../bodies/decodeJson.ts";
import type { Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { decodePythonBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { fitShape, type ShapeRead } from "./fitShape.ts";

/** A JSON object at the cursor, whose tool's name stands before it. */
export function* readNamedJson(turn: Turn, name: string): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const body = source.offset;
  if ((yield* scanBalanced(source, body + turn.options.captureChars)) !== "balanced") return undefined;
  const json = decodeJson(turn.captured(body, source.offset));
  if (!json) return undefined;
  return fitShape(turn, "named-json", [{ name, arguments: { type: "json", value: json }, repairs: json.repairs }]);
}

/** Moves over the brackets at the cursor; false where they have no partner within the capture that starts at `from`. */
export function* skipArguments(turn: Turn, from: number): Reading<boolean> {
  return (yield* scanBalanced(turn.source, from + turn.options.captureChars)) === "balanced";
}

/** The Python calls from `from` to the cursor. */
export function pythonCalls(turn: Turn, from: number): ShapeRead | undefined {
  return fitShape(turn, "python", decodePythonBody(turn, turn.captured(from, turn.source.offset)));
}
