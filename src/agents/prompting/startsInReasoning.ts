// Decides if the text of an answer starts inside a reasoning block, from the request and the model's profile.

import { isObject, type JsonObject } from "../../core/messages.ts";
import type { ReasoningCapability } from "../../core/models/capabilities.ts";

/** Uses the request's switch if the profile supports one, else the profile. Unknown text is content (design §5). */
export function opensInReasoning(reasoning: ReasoningCapability, passthrough: JsonObject): boolean {
  switch (reasoning.opened) {
    case "never":
      return false;
    case "always":
      return requested(passthrough) ?? true;
    case "by-request":
      return requested(passthrough) ?? false;
    default:
      return reasoning.opened satisfies never;
  }
}

function requested(passthrough: JsonObject): boolean | undefined {
  const { chat_template_kwargs: kwargs, reasoning_effort: effort } = passthrough;
  if (isObject(kwargs)) {
    const thinking = kwargs.enable_thinking ?? kwargs.thinking;
    if (typeof thinking === "boolean") return thinking;
  }
  return typeof effort === "string" ? effort !== "none" : undefined;
}
