// The arguments of a candidate from JSON text, as forms make them, and what a test shows of them. Fits nothing.
import type { CandidateArguments } from "../../src/formats/decoders/CallCandidate.ts";
import { decodeJson } from "../../src/formats/decoders/decodeJson.ts";
import { sliceValue } from "../../src/formats/decoders/jsonTree.ts";

export function jsonArguments(text: string): CandidateArguments {
  const value = decodeJson(text);
  return value ? { type: "json", value } : { type: "unreadable", text };
}

export function shownArguments(given: CandidateArguments): string {
  if (given.type === "list") return given.list.map((one) => `${one.key}=${one.value}`).join();
  return given.type === "json" ? sliceValue(given.value) : given.text;
}
