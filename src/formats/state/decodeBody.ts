// Decodes a complete bracketed body to candidates: JSON first, Python calls if the text shows them. Only selects the decoder.

import { describeBodyLimit } from "../decoders/bodyLimits.ts";
import type { CallCandidate } from "../decoders/CallCandidate.ts";
import { readCallObjects } from "../decoders/callObjects.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { decodePython } from "../decoders/decodePython.ts";
import type { ParserState } from "./ParserState.ts";

export interface DecodedBody {
  readonly candidates: readonly CallCandidate[];
  readonly grammar: "json" | "python";
}

/** Decodes a balanced JSON or Python body; undefined if it is no call. `explicit`: a marker announced it, so unknown names count. */
export function decodeBody(turn: ParserState, body: string, explicit: boolean): DecodedBody | undefined {
  const json = decodeJson(body);
  if (json) {
    const candidates = readCallObjects(json, {
      offered: (name) => turn.resolve(name) !== undefined,
      allowFlat: true,
      parameters: (name) => turn.parameters(turn.resolve(name) ?? ""),
      anyName: explicit,
    });
    if (candidates && (explicit || candidates.every((one) => turn.resolve(one.name) !== undefined))) {
      const mended = candidates.map((one) => ({ ...one, repairs: [...json.repairs, ...one.repairs] }));
      return { candidates: mended, grammar: "json" };
    }
  }
  const python = isLargeData(body) ? undefined : decodePythonBody(turn, body);
  return python && { candidates: python, grammar: "python" };
}

/** Returns true for a body that no call expression begins with and that may exceed the limits. The JSON decoder has refused it. */
function isLargeData(body: string): boolean {
  return /^\s*(?:\[\s*)*[{"]/.test(body) && describeBodyLimit(body) !== undefined;
}

/** Decodes Python calls of offered names; undefined if a part of them is no literal. */
export function decodePythonBody(turn: ParserState, body: string): readonly CallCandidate[] | undefined {
  return decodePython(body, { offered: turn.offered, knownParameters: turn.parameters });
}
