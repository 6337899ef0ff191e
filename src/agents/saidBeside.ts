// What a model said beside its text and its calls, as its message in a history has it. Knows no field but those that nobody needs back.
import type { Extra } from "../core/events.ts";
import { foreignFields, mergeExtra } from "../core/foreignFields.ts";
import type { JsonValue, Message } from "../core/messages.ts";

/** What an upstream says for whoever reads its answer; none needs it back, and some refuse it in a history. */
const FOR_READERS = new Set(["annotations", "audio", "images", "refusal"]);

/** What of it is an answer without a word. */
const SHOWN = ["audio", "images", "refusal"];

/** True where an upstream gave its reader something that is no text. */
export function showsMore(extra: readonly Extra[]): boolean {
  return extra.some(({ level, fields }) => level === "delta" && SHOWN.some((name) => says(fields[name])));
}

function says(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}

export function saidBeside(reasoning: string, extra: readonly Extra[]): Pick<Message, "reasoning" | "extra"> {
  const fields = foreignFields(mergeExtra(extra, "delta"), FOR_READERS);
  return { ...(reasoning !== "" && { reasoning }), ...(fields && { extra: fields }) };
}
