// Which tools a model is offered, and what is said where no model is there to offer them to. Pure; chooses no model.
import type { TurnEvent } from "../../core/events/events.ts";
import { createFailure } from "../../core/failures.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";

/** What was put together last with a list of a request's. */
const joined = new WeakMap<
  readonly ToolSpec[],
  { readonly own: readonly ToolSpec[]; readonly allowed: string | undefined; readonly all: readonly ToolSpec[] }
>();

/**
 * The gateway's tools and the client's, so far as they are allowed: a model does not call what it is not shown. Where they are those of
 * before, the very list of before, since much is kept by it.
 */
export function selectOfferedTools(
  own: readonly ToolSpec[],
  { tools: given, allowedTools }: Pick<ChatRequest, "tools" | "allowedTools">,
): readonly ToolSpec[] {
  if (own.length === 0 && !allowedTools) return given;
  const before = joined.get(given);
  const allowed = allowedTools?.join("\n");
  const isSame = before?.own.length === own.length && own.every((spec, at) => spec === before.own[at]);
  if (before && isSame && before.allowed === allowed) return before.all;
  const names = allowedTools && new Set(allowedTools);
  const all = [...own, ...given].filter(({ name }) => names?.has(name) ?? true);
  joined.set(given, { own, allowed, all });
  return all;
}

export function createUnservedModelFailure(model: string): TurnEvent {
  const message = `No upstream of this gateway serves the model ${JSON.stringify(model)}. GET /v1/models lists the models that are served.`;
  return { type: "turn-failed", failure: createFailure("model_not_found", message, { param: "model" }) };
}
