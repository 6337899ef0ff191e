// What waits for a person, in the words of the HTTP contract. Knows no event and no store.
import type { Interrupt } from "../core/interrupts.ts";
import type { JsonObject } from "../core/messages.ts";

/** The model's own arguments are shown as the text that would run, never read anew. */
export function wireInterrupt(interrupt: Interrupt): JsonObject {
  const { id, type, question, options, allowOther, reason, plan, expiresAt } = interrupt;
  return {
    id,
    type,
    question,
    ...(options && { options }),
    ...(allowOther && { allow_other: true }),
    ...(reason !== undefined && { reason }),
    ...(plan && {
      tool: plan.tool,
      arguments: plan.arguments,
      plan: plan.hash,
      ...(plan.danger !== undefined && { danger: plan.danger }),
    }),
    expires_at: Math.ceil(expiresAt / 1_000),
  };
}
