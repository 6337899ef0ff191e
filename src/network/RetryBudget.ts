// How much may be sent again to a server, by how it has answered of late. Knows no exchange and no wait.
import { setYoungest } from "../core/setYoungest.ts";

/** What a server has at its best, and what must be left for anything to be sent again. */
const FULL = 10;
const ENOUGH = 5;
/** What an answer gives back; a failed attempt costs one. Up to a third of the attempts may fail before the budget shrinks. */
const ANSWERED = 0.5;
/** What time gives back, so that a server that was down and is asked seldom is not held to it for ever. */
const QUIET_MS = 10_000;
/** Origins stand in the configuration; this is only so that nothing grows. */
const MAX_NAMES = 1_000;

interface Budget {
  readonly left: number;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * Where a server is down, every request fails and each would be tried three times: the load of an outage is what keeps it down.
 * So the attempts of all requests to one server draw on one budget (0026): in a full outage there is about one attempt a request,
 * whatever models are asked for.
 */
export class RetryBudget {
  readonly #budgets = new Map<string, Budget>();

  /** An attempt failed. True where another may follow. */
  failed(name: string, now: number): boolean {
    const left = Math.max(0, this.#left(name, now) - 1);
    this.#set(name, { left, at: now });
    return left > ENOUGH;
  }

  answered(name: string, now: number): void {
    if (this.#budgets.has(name)) this.#set(name, { left: this.#left(name, now) + ANSWERED, at: now });
  }

  #left(name: string, now: number): number {
    const budget = this.#budgets.get(name);
    return budget ? Math.min(FULL, budget.left + (now - budget.at) / QUIET_MS) : FULL;
  }

  #set(name: string, budget: Budget): void {
    if (budget.left >= FULL) this.#budgets.delete(name);
    else setYoungest(this.#budgets, { key: name, value: budget, most: MAX_NAMES });
  }
}
