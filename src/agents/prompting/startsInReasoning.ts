// Whether the text of an answer starts inside a reasoning block, as far as the request and the model's row tell. Knows no marks.

import { isObject, type JsonObject } from "../../core/messages.ts";
import type { ReasoningCapability } from "../../core/models/capabilities.ts";

/** The request's own switch where the row heeds one, else the row; what is unknown is content (design §5). */
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
