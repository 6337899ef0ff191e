// Notices what an upstream took and did not heed: log-probabilities that never came, a limit of tokens that its own count is beyond. Judges no text.
import type { ModelEnd, ModelEvent } from "../core/events.ts";
import type { ModelRequest } from "./ModelClient.ts";

export class UnheededFields {
  readonly #wantsLogprobs: boolean;
  readonly #limit: { readonly field: string; readonly tokens: number } | undefined;
  #spoke = false;
  #heard = false;

  constructor({ passthrough, sampling }: Pick<ModelRequest, "passthrough" | "sampling">) {
    const { maxTokens, maxCompletionTokens } = sampling;
    this.#wantsLogprobs = passthrough.logprobs === true;
    if (maxCompletionTokens !== undefined)
      this.#limit = { field: "max_completion_tokens", tokens: maxCompletionTokens };
    else if (maxTokens !== undefined) this.#limit = { field: "max_tokens", tokens: maxTokens };
  }

  /** The same events; the end of an answer names what was not heeded. */
  push(events: readonly ModelEvent[]): readonly ModelEvent[] {
    if (!this.#wantsLogprobs && !this.#limit) return events;
    for (const event of events) {
      if (event.type !== "text") continue;
      this.#spoke ||= event.text !== "";
      this.#heard ||= event.extra?.some(({ fields }) => fields.logprobs !== undefined) ?? false;
    }
    const last = events.at(-1);
    return last?.type === "end" ? [...events.slice(0, -1), this.#end(last)] : events;
  }

  #end(end: ModelEnd): ModelEnd {
    const counted = end.usage?.completionTokens ?? 0;
    const mended = [
      ...(this.#wantsLogprobs && this.#spoke && !this.#heard ? ["logprobs"] : []),
      ...(this.#limit && counted > this.#limit.tokens ? [this.#limit.field] : []),
    ];
    return mended.length > 0 ? { ...end, mended } : end;
  }
}
