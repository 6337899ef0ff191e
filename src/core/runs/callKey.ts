// Computes equal keys for equal calls: same name and same arguments, ignoring key order, white space and number notation.
import { isPlainJson, stringifySorted } from "../json/jsonObjectText.ts";

/** The key of a call. Arguments with too many values are compared as text. */
export function callKey(call: { readonly name: string; readonly arguments: string }): string {
  return `${call.name} ${canonicalizeArguments(call.arguments)}`;
}

/** The same text for equal arguments, however they are written. */
export function canonicalizeArguments(text: string): string {
  if (!isPlainJson(text)) return text;
  try {
    return stringifySorted(JSON.parse(text, exactly));
  } catch {
    return text;
  }
}

/** Compares numbers by value; an integer that is too large for a double is compared by its text. */
function exactly(_key: string, value: unknown, { source = "" }: { readonly source?: string } = {}): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && Number.isInteger(value) ? `#${source}` : value;
}

type Keyed = Parameters<typeof callKey>[0];

export class CallKeys {
  #known: WeakMap<Keyed, string> | undefined;

  /** See `callKey`. */
  of(call: Keyed): string {
    this.#known ??= new WeakMap();
    const known = this.#known.get(call);
    if (known !== undefined) return known;
    const key = callKey(call);
    this.#known.set(call, key);
    return key;
  }
}
