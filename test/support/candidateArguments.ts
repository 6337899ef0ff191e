// The arguments of a candidate from JSON text, as forms make them, and what a test shows of them. Fits nothing.
import type { CandidateArguments } from "../../src/formats/bodies/CallCandidate.ts";
import { decodeJson } from "../../src/formats/bodies/decodeJson.ts";
import { sliceOf } from "../../src/formats/bodies/jsonSpans.ts";

export function jsonArguments(text: string): CandidateArguments {
  const value = decodeJson(text);
  return value ? { type: "json", value } : { type: "unreadable", text };
}

export function shownArguments(given: CandidateArguments): string {
  if (given.type === "list") return given.list.map((one) => `${one.key}=${one.value}`).join();
  return given.type === "json" ? sliceOf(given.value) : given.text;
}
