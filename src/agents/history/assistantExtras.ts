// What a model said beside its text and its calls, as its message in a history has it. Knows no field but those that nobody needs back.
import type { Collector } from "../../core/events/Collector.ts";
import { extractProviderFields, mergeExtra } from "../../core/events/providerFields.ts";
import type { Message } from "../../core/messages.ts";

/** What an upstream says for whoever reads its answer; none needs it back, and some refuse it in a history. */
const FOR_READERS = new Set(["annotations", "audio", "images", "refusal"]);

export function collectAssistantExtras({ reasoning, extra }: Collector): Pick<Message, "reasoning" | "extra"> {
  const fields = extractProviderFields(mergeExtra(extra, "delta"), FOR_READERS);
  return { ...(reasoning !== "" && { reasoning }), ...(fields && { extra: fields }) };
}
