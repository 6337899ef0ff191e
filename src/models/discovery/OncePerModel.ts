// Loads a value for each model once, within a time limit, and again after it expires.

import { setBounded } from "../../core/async/setBounded.ts";
import { OBSERVATION_TTL_MS } from "../../core/models/observedCapabilities.ts";
import type { Clock } from "../../core/ports.ts";
import { waitAtMost } from "./waitAtMost.ts";

/** `known`: the server has answered. `later`: it is loading. `silent`: it gave no answer. */
export type Outcome = "known" | "later" | "silent";

/** Time for which a request waits for the answer; a later answer serves the next request. Milliseconds. */
const WAIT_MS = 1_000;
/** Time for which a server that gave no answer is not asked again. */
const PAUSE_MS = 60_000;
const LIFETIMES: Readonly<Record<Outcome, number>> = { known: OBSERVATION_TTL_MS, later: 0, silent: PAUSE_MS };
/** Until the question is settled. */
const PENDING = Number.POSITIVE_INFINITY;
/** Keys are model names that callers choose. */
const MAX_MODELS = 1_000;

export class OncePerModel {
  readonly #ask: (model: string) => Promise<Outcome>;
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  /** Least recently asked first. */
  readonly #asked = new Map<string, { readonly settled: Promise<void>; goodUntil: number }>();

  /** @param ask may reject, which counts as silence. */
  constructor(ask: (model: string) => Promise<Outcome>, clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Resolves once the value of the model is known, or after a second; never rejects. Undefined if there is no need to wait. */
  known(model: string, signal: AbortSignal): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const asked = this.#asked.get(model);
    const current = asked && now < asked.goodUntil ? asked : undefined;
    if (current && current.goodUntil !== PENDING) return undefined;
    return waitAtMost(current?.settled ?? this.#begin(model), WAIT_MS, { clock: this.#clock, signal });
  }

  #begin(model: string): Promise<void> {
    const question = this.#ask(model).catch((): Outcome => "silent");
    const entry = {
      goodUntil: PENDING,
      settled: question.then((outcome) => {
        entry.goodUntil = this.#clock.monotonic() + LIFETIMES[outcome];
      }),
    };
    setBounded(this.#asked, { key: model, value: entry, maxSize: MAX_MODELS });
    return entry.settled;
  }
}
