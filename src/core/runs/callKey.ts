// When two calls are the same call: equal names and equal arguments, whatever the order of keys, the white space and the spelling of numbers.
import { isPlainJson, stringifySorted } from "../json/jsonObjectText.ts";

/** A text that is equal for equal calls; arguments of more values than any call has are compared as they were written. */
export function callKey(call: { readonly name: string; readonly arguments: string }): string {
  return `${call.name} ${canonicalizeArguments(call.arguments)}`;
}

/** One text for arguments that are equal, however they are written. */
export function canonicalizeArguments(text: string): string {
  if (!isPlainJson(text)) return text;
  try {
    return stringifySorted(JSON.parse(text, exactly));
  } catch {
    return text;
  }
}

/** However a number is written, it is the same; one that is too large to be kept exactly is the text that was written. */
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
