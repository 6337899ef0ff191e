// Limits the retries to each server, by its recent success rate.

import { setBounded } from "../../core/async/setBounded.ts";
import { RETRY_BUDGET } from "../../core/http/retryPolicy.ts";

/** Origins stand in the configuration; this is only so that nothing grows. */
const MAX_NAMES = 1_000;

interface Budget {
  readonly left: number;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * If a server is down, every request fails and would be tried three times. That load prolongs the outage.
 * Therefore the attempts of all requests to one server share one budget, whatever the model (0026).
 * In a full outage each request makes about one attempt.
 */
export class RetryBudget {
  readonly #budgets = new Map<string, Budget>();

  /** False while no server has used its budget: then a success restores nothing. */
  get isTouched(): boolean {
    return this.#budgets.size > 0;
  }

  /** Records a failed attempt. Returns true if another may follow. */
  failed(name: string, now: number): boolean {
    const left = Math.max(0, this.#left(name, now) - 1);
    this.#set(name, { left, at: now });
    return left > RETRY_BUDGET.minForRetry;
  }

  answered(name: string, now: number): void {
    if (this.#budgets.has(name)) this.#set(name, { left: this.#left(name, now) + RETRY_BUDGET.successRefund, at: now });
  }

  #left(name: string, now: number): number {
    const budget = this.#budgets.get(name);
    const { full, refundMs } = RETRY_BUDGET;
    return budget ? Math.min(full, budget.left + (now - budget.at) / refundMs) : full;
  }

  #set(name: string, budget: Budget): void {
    if (budget.left >= RETRY_BUDGET.full) this.#budgets.delete(name);
    else setBounded(this.#budgets, { key: name, value: budget, maxSize: MAX_NAMES });
  }
}
