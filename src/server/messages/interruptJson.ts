// Converts an interrupt to its public JSON form.

import { escapeArguments } from "../../core/json/escapeInvisible.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { DefinitionChange, ShownDefinition } from "../../core/tools/toolDefinition.ts";

/** The model's own arguments are shown as the text that would run, without parsing them again. */
export function toInterruptJson(interrupt: Interrupt): JsonObject {
  const { id, type, question, options, allowOther, form, reason, plan, expiresAt } = interrupt;
  return {
    id,
    type,
    question,
    ...(options && { options }),
    ...(allowOther && { allow_other: true }),
    ...(form && { schema: form }),
    ...(reason !== undefined && { reason }),
    ...(plan && {
      tool: plan.tool,
      arguments: escapeArguments(plan),
      plan: plan.hash,
      ...(plan.danger !== undefined && { danger: plan.danger }),
      ...(plan.untrusted && { untrusted: true }),
      ...(plan.rejectedBefore && { rejected_before: true }),
      ...(plan.definition && { definition: toDefinitionJson(plan.definition) }),
    }),
    expires_at: Math.ceil(expiresAt / 1_000),
  };
}

function toDefinitionJson({ server, tool, listed, changes }: ShownDefinition): JsonObject {
  return { server, tool, listed, ...(changes && { changes: changes.map(toChangeJson) }) };
}

function toChangeJson({ at, was, is }: DefinitionChange): JsonObject {
  return { at, ...(was !== undefined && { was }), ...(is !== undefined && { is }) };
}
