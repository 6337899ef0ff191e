// In which field each model was heard to think: where its thoughts go when they come back in a history. Knows no thought.
import { setBounded } from "../../core/async/setBounded.ts";
import type { ModelRequest } from "../ModelClient.ts";

/** Names that callers choose, so the number of remembered ones is bounded. */
const MAX_MODELS = 1_000;

export class ReasoningFieldCache {
  readonly #fields = new Map<string, string>();

  /** `field` absent: the model said no thought in a field of its own, which proves nothing. */
  heard(model: string, field: string | undefined): void {
    if (field === undefined) return;
    setBounded(this.#fields, { key: model, value: field, most: MAX_MODELS });
  }

  /** What was heard goes before what the row says of servers in general: an upstream takes back the field that it speaks. */
  spell(request: ModelRequest): ModelRequest {
    const field = this.#fields.get(request.model);
    if (field === undefined) return request;
    const { capabilities } = request;
    return { ...request, capabilities: { ...capabilities, reasoning: { ...capabilities.reasoning, field } } };
  }
}
