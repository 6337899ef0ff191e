// When two calls are the same call: equal names and equal arguments, whatever the order of keys, the white space and the spelling of numbers.
import { isPlainJson, sortedJson } from "./objectText.ts";

/** A text that is equal for equal calls; arguments of more values than any call has are compared as they were written. */
export function callKey(call: { readonly name: string; readonly arguments: string }): string {
  return `${call.name} ${canonicalArguments(call.arguments)}`;
}

/** One text for arguments that are equal, however they are written. */
export function canonicalArguments(text: string): string {
  if (!isPlainJson(text)) return text;
  try {
    return sortedJson(JSON.parse(text, exactly));
  } catch {
    return text;
  }
}

/** However a number is written, it is the same; one that is too large to be kept exactly is the text that was written. */
function exactly(_key: string, value: unknown, { source = "" }: { readonly source?: string } = {}): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && Number.isInteger(value) ? `#${source}` : value;
}
