// Collects reasoning and provider fields of an answer for its message in the history.
import type { Collector } from "../../core/events/Collector.ts";
import { extractProviderFields, mergeExtra } from "../../core/events/providerFields.ts";
import type { Message } from "../../core/messages.ts";

/** Fields for the reader of an answer: no upstream needs them back, and some refuse them in a history. */
const FOR_READERS = new Set(["annotations", "audio", "images", "refusal"]);

export function collectAssistantExtras({ reasoning, extra }: Collector): Pick<Message, "reasoning" | "extra"> {
  const fields = extractProviderFields(mergeExtra(extra, "delta"), FOR_READERS);
  return { ...(reasoning !== "" && { reasoning }), ...(fields && { extra: fields }) };
}
