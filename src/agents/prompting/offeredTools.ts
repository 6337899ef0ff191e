// Selects the tools that a model is offered. Pure.
import type { TurnEvent } from "../../core/events/events.ts";
import { createFailure } from "../../core/failures.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";

/** The last result for each list of request tools. */
const joined = new WeakMap<
  readonly ToolSpec[],
  { readonly own: readonly ToolSpec[]; readonly allowed: string | undefined; readonly all: readonly ToolSpec[] }
>();

/**
 * The gateway's tools and the client's, limited to the allowed ones: a model does not call a tool that it does not see.
 * Returns the same array for the same tools, because other caches use it as a key.
 */
export function selectOfferedTools(
  own: readonly ToolSpec[],
  { tools: parameterSchema, allowedTools }: Pick<ChatRequest, "tools" | "allowedTools">,
): readonly ToolSpec[] {
  if (own.length === 0 && !allowedTools) return parameterSchema;
  const before = joined.get(parameterSchema);
  const allowed = allowedTools?.join("\n");
  const isSame = before?.own.length === own.length && own.every((spec, at) => spec === before.own[at]);
  if (before && isSame && before.allowed === allowed) return before.all;
  const names = allowedTools && new Set(allowedTools);
  const all = [...own, ...parameterSchema].filter(({ name }) => names?.has(name) ?? true);
  joined.set(parameterSchema, { own, allowed, all });
  return all;
}

export function createUnservedModelFailure(model: string): TurnEvent {
  const message = `No upstream of this gateway serves the model ${JSON.stringify(model)}. GET /v1/models lists the models that are served.`;
  return { type: "turn-failed", failure: createFailure("model_not_found", message, { param: "model" }) };
}
