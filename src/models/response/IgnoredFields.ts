// Detects request fields that the upstream accepted and ignored: missing log-probabilities, or more tokens than the limit.
import type { ModelEnd, ModelEvent } from "../../core/events/events.ts";
import type { ModelRequest } from "../ModelClient.ts";

type Text = Extract<ModelEvent, { type: "text" }>;

export class IgnoredFields {
  readonly #wantsLogprobs: boolean;
  readonly #limit: { readonly field: string; readonly tokens: number } | undefined;
  #spoke = false;
  #hasVisibleText = false;

  constructor({ passthrough, sampling }: Pick<ModelRequest, "passthrough" | "sampling">) {
    const { maxTokens, maxCompletionTokens } = sampling;
    this.#wantsLogprobs = passthrough.logprobs === true;
    if (maxCompletionTokens !== undefined)
      this.#limit = { field: "max_completion_tokens", tokens: maxCompletionTokens };
    else if (maxTokens !== undefined) this.#limit = { field: "max_tokens", tokens: maxTokens };
  }

  /** Returns the same events. The end of an answer names the ignored fields. */
  push(events: readonly ModelEvent[]): readonly ModelEvent[] {
    if (!this.#wantsLogprobs && !this.#limit) return events;
    for (const event of events) if (event.type === "text") this.#addText(event);
    const last = events.at(-1);
    const end = last?.type === "end" ? this.#end(last) : last;
    return end && end !== last ? [...events.slice(0, -1), end] : events;
  }

  /** The end of an answer that is one text. */
  end(end: ModelEnd, textEvent: Text): ModelEnd {
    this.#addText(textEvent);
    return this.#end(end);
  }

  #addText({ text, extra }: Text): void {
    if (!this.#wantsLogprobs) return;
    this.#spoke ||= text !== "";
    this.#hasVisibleText ||= extra?.some(({ fields }) => fields.logprobs !== undefined) ?? false;
  }

  #end(end: ModelEnd): ModelEnd {
    const isSilent = this.#wantsLogprobs && this.#spoke && !this.#hasVisibleText;
    const exceeded = this.#limit && (end.usage?.completionTokens ?? 0) > this.#limit.tokens ? this.#limit : undefined;
    if (!isSilent && !exceeded) return end;
    return { ...end, mended: [...(isSilent ? ["logprobs"] : []), ...(exceeded ? [exceeded.field] : [])] };
  }
}
