// Has a person asked about what came back, where it is something that its component wants them to be asked about. Knows no kind of component.
import type { ComponentAction } from "../../core/config/componentActions.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { InterruptRaised } from "../execution/InterruptRaised.ts";

/** Whether a strict JSON text keeps a JSON Schema. */
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
