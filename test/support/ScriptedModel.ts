// A model that plays a script: each call is the next step. Remembers what it was asked, and every way in which the script was left.

import type { EventSink } from "../../src/core/events/EventSink.ts";
import type { ModelEvent, Usage } from "../../src/core/events/events.ts";
import { createFailure } from "../../src/core/failures.ts";
import type { ModelClient, ModelRequest } from "../../src/models/ModelClient.ts";
import { pushed } from "./events.ts";

/** `hang`: opens, and then says nothing until it is aborted. */
export type Step = readonly ModelEvent[] | "hang";

export class ScriptedModel implements ModelClient {
  readonly requests: ModelRequest[] = [];
  readonly #steps: readonly Step[];
  readonly #hanging = Promise.withResolvers<void>();
  #aborted = 0;

  constructor(...steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Resolves once the model hangs. */
  get hanging(): Promise<void> {
    return this.#hanging.promise;
  }

  /** How many calls were aborted while they hung. */
  get aborted(): number {
    return this.#aborted;
  }

  stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void> {
    return pushed(this.#play(request, signal), take);
  }

  async *#play(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const step = this.#steps[this.requests.length];
    this.requests.push(request);
    if (step === undefined) {
      yield {
        type: "failed",
        failure: createFailure("internal_error", "The scripted model was called once too often."),
      };
    } else if (step === "hang") {
      yield { type: "opened", retries: 0 };
      yield* this.#hang(signal);
    } else {
      yield* step;
    }
  }

  /** Throws unless every step was played and no call came on top. */
  verify(): void {
    const { length } = this.#steps;
    if (this.requests.length === length) return;
    throw new Error(`The script has ${length} steps, but the model was called ${this.requests.length} times.`);
  }

  async *#hang(signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const left = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => left.resolve(), { once: true });
    if (signal.aborted) left.resolve();
    this.#hanging.resolve();
    await left.promise;
    this.#aborted += 1;
    yield { type: "failed", failure: createFailure("cancelled", "The model call was aborted.") };
  }
}

const USAGE: Usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

/** An answer in text, in the pieces given. */
export function says(...pieces: readonly string[]): readonly ModelEvent[] {
  return endsWith("stop", ...pieces.map((text): ModelEvent => ({ type: "text", text })));
}

/** Native calls, one fragment each. */
export function calls(
  ...list: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[]
): readonly ModelEvent[] {
  return endsWith("tool_calls", ...fragments(...list));
}

export function fragments(
  ...list: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[]
): readonly ModelEvent[] {
  return list.map((call, index): ModelEvent => ({ type: "call-fragment", index, id: `call_${index}`, ...call }));
}

export function endsWith(finishReason: string | null, ...events: readonly ModelEvent[]): readonly ModelEvent[] {
  return [{ type: "opened", retries: 0 }, ...events, { type: "end", finishReason, usage: USAGE }];
}

/** The upstream's refusal of the `tools` field. */
export function refusesTools(): readonly ModelEvent[] {
  const refusal = createFailure("upstream_refused", "This model does not support tools.", { toolsRefused: true });
  return [{ type: "failed", failure: refusal }];
}
