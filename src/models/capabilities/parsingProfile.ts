// Returns the parsing settings of the shipped profile for a model name. Reads no file.
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import { findBestMatch, nameForms } from "./modelNames.ts";
import { PARSING_PROFILES } from "./parsingProfiles.generated.ts";

/** The part of a model's capabilities that concerns its text. */
export type ModelReading = Pick<ModelCapabilities, "formats" | "emulate" | "reasoning" | "wire">;

/** Settings of an unknown model. */
export const DEFAULT_READING: ModelReading = {
  formats: [],
  emulate: "hermes-json",
  reasoning: { opened: "never", interleaved: false },
  wire: undefined,
};

/** A name is looked up as the gateway does: without organisation, tag, date and quantisation; the longest pattern wins. */
export function resolveParsingProfile(model: string): ModelReading {
  const { row } = findBestMatch(PARSING_PROFILES, nameForms(model)) ?? {};
  if (!row) return DEFAULT_READING;
  return {
    formats: row.formats ?? DEFAULT_READING.formats,
    emulate: row.emulate ?? DEFAULT_READING.emulate,
    wire: row.wire,
    reasoning: Object.assign({}, DEFAULT_READING.reasoning, row.reasoning),
  };
}
