// Compares parsed calls with the calls that a task of BFCL accepts.
import type { Json, ParsedCall } from "./texts.ts";

/**
 * A call that a task accepts: one function name with its parameters. Each parameter has a list of accepted values;
 * the value "" in the list means that the parameter may be absent.
 */
export type AcceptedCall = Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>;

/** Returns true if `calls` are exactly the accepted calls, in any order. */
export function matchesAcceptedCalls(calls: readonly ParsedCall[], acceptedCalls: readonly AcceptedCall[]): boolean {
  const unmatched = [...acceptedCalls];
  const allMatch = calls.every((call) => {
    const index = unmatched.findIndex((accepted) => matchesCall(call, accepted));
    if (index >= 0) unmatched.splice(index, 1);
    return index >= 0;
  });
  return allMatch && unmatched.length === 0;
}

function matchesCall(call: ParsedCall, accepted: AcceptedCall): boolean {
  const [[name, parameters] = ["", {}]] = Object.entries(accepted);
  if (normalizeName(call.name) !== normalizeName(name)) return false;
  const areAccepted = Object.entries(call.arguments).every(([key, value]) =>
    parameters[key]?.some((acceptedValue) => matchesValue(value, acceptedValue)),
  );
  const areComplete = Object.entries(parameters).every(([key, values]) => key in call.arguments || values.includes(""));
  return areAccepted && areComplete;
}

function matchesValue(value: Json | undefined, accepted: Json): boolean {
  if (Array.isArray(accepted)) return matchesArray(value, accepted);
  if (typeof accepted === "object" && accepted !== null) return matchesObject(value, accepted);
  if (typeof value === "string" && typeof accepted === "string")
    return normalizeText(value) === normalizeText(accepted);
  return value === accepted;
}

function matchesArray(value: Json | undefined, accepted: readonly Json[]): boolean {
  if (!Array.isArray(value) || value.length !== accepted.length) return false;
  return accepted.every((item, index) => matchesValue(value[index], item));
}

/** Compares an object whose keys each have one accepted value or a list of them. */
function matchesObject(value: Json | undefined, accepted: object): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as Readonly<Record<string, Json>>;
  const areAccepted = Object.entries(accepted).every(([key, values]) => {
    const choices: readonly Json[] = Array.isArray(values) ? values : [values];
    return key in members ? choices.some((choice) => matchesValue(members[key], choice)) : choices.includes("");
  });
  return areAccepted && Object.keys(members).every((key) => key in accepted);
}

/** Removes spaces and punctuation, and ignores case and the kind of quotes. */
function normalizeText(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}

/** BFCL treats dots and underscores in names as equal. */
function normalizeName(name: string): string {
  return name.replaceAll(".", "_");
}
