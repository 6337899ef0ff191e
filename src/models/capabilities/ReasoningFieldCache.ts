// Remembers the field in which each model sends its reasoning, so that histories use the same field.
import { setBounded } from "../../core/async/setBounded.ts";
import type { ModelRequest } from "../ModelClient.ts";

/** Names that callers choose, so the number of remembered ones is bounded. */
const MAX_MODELS = 1_000;

export class ReasoningFieldCache {
  readonly #fields = new Map<string, string>();

  /** `field` is absent if the model sent no reasoning field, which proves nothing. */
  recordField(model: string, field: string | undefined): void {
    if (field === undefined) return;
    setBounded(this.#fields, { key: model, value: field, maxSize: MAX_MODELS });
  }

  /** The observed field has precedence over the profile: an upstream accepts the field that it sends. */
  spell(request: ModelRequest): ModelRequest {
    const field = this.#fields.get(request.model);
    if (field === undefined) return request;
    const { capabilities } = request;
    return { ...request, capabilities: { ...capabilities, reasoning: { ...capabilities.reasoning, field } } };
  }
}
