// Asks the user about an answer that matches one of the component's `interrupts`.
import type { ComponentAction } from "../../core/config/componentActions.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { InterruptRaised } from "../execution/InterruptRaised.ts";

/** Returns true if a strict JSON text is valid against a JSON Schema. */
export type MatchesSchema = (strictJson: string, schema: JsonObject) => boolean;

/** @throws InterruptRaised by the first need that the answer fits. */
export function raiseNeeds(
  answer: JsonValue,
  { interrupts = {} }: Pick<ComponentAction, "interrupts">,
  matches: MatchesSchema,
): void {
  for (const [type, { when, message, suggestion }] of Object.entries(interrupts))
    if (matches(JSON.stringify(answer), when))
      throw new InterruptRaised({ type, question: message, reason: suggestion });
}
