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
export function decodeBody(state: ParserState, body: string, isExplicit: boolean): DecodedBody | undefined {
  const json = decodeJson(body);
  if (json) {
    const candidates = readCallObjects(json, {
      isOffered: (name) => state.resolve(name) !== undefined,
      allowFlat: true,
      parameters: (name) => state.listParameters(state.resolve(name) ?? ""),
      anyName: isExplicit,
    });
    if (candidates && (isExplicit || candidates.every((one) => state.resolve(one.name) !== undefined))) {
      const repaired = candidates.map((one) => ({ ...one, repairs: [...json.repairs, ...one.repairs] }));
      return { candidates: repaired, grammar: "json" };
    }
  }
  const python = isLargeData(body) ? undefined : decodePythonBody(state, body);
  return python && { candidates: python, grammar: "python" };
}

/** Returns true for a body that no call expression begins with and that may exceed the limits. The JSON decoder has refused it. */
function isLargeData(body: string): boolean {
  return /^\s*(?:\[\s*)*[{"]/.test(body) && describeBodyLimit(body) !== undefined;
}

/** Decodes Python calls of offered names; undefined if a part of them is no literal. */
export function decodePythonBody(state: ParserState, body: string): readonly CallCandidate[] | undefined {
  return decodePython(body, { callableNames: state.callableNames, knownParameters: state.listParameters });
}
