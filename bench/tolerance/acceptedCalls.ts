// Whether calls are the ones that a task of BFCL accepts: each parameter has a list of values, "" among them where it may be left out.
import type { Called, Json } from "./texts.ts";

/** An accepted call: its name, and the values that each of its parameters may have. */
export type Accepted = Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>;

/** True where the calls are the accepted ones, in any order, none missing and none too many. */
export function areAccepted(calls: readonly Called[], accepted: readonly Accepted[]): boolean {
  const left = [...accepted];
  const all = calls.every((call) => {
    const at = left.findIndex((one) => isAccepted(call, one));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return all && left.length === 0;
}

function isAccepted(call: Called, accepted: Accepted): boolean {
  const [[name, parameters] = ["", {}]] = Object.entries(accepted);
  if (underscored(call.name) !== underscored(name)) return false;
  const { arguments: given } = call;
  const known = Object.entries(given).every(([key, value]) => parameters[key]?.some((one) => isSame(value, one)));
  return known && Object.entries(parameters).every(([key, values]) => key in given || values.includes(""));
}

function isSame(given: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(given) &&
      given.length === wanted.length &&
      wanted.every((one, at) => isSame(given[at] as Json, one))
    );
  if (typeof wanted === "object" && wanted !== null) {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
    const members = given as Readonly<Record<string, Json>>;
    const named = Object.entries(wanted).every(([key, values]) => {
      const choices: readonly Json[] = Array.isArray(values) ? values : [values];
      return key in members ? choices.some((one) => isSame(members[key], one)) : choices.includes("");
    });
    return named && Object.keys(members).every((key) => key in wanted);
  }
  return typeof given === "string" && typeof wanted === "string" ? plain(given) === plain(wanted) : given === wanted;
}

/** Without case, blanks and punctuation. */
function plain(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}

function underscored(name: string): string {
  return name.replaceAll(".", "_");
}
