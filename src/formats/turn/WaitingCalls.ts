// Calls without marks that have been read and wait for what follows: a call with marks that says the same is the same call.
// Knows no text.
import { callKey } from "../../core/callKey.ts";

/** Each look-up costs the length of one call, however many wait. */
export class WaitingCalls<Call extends { readonly name: string; readonly arguments: string }> {
  readonly #calls: (Call | undefined)[];
  readonly #places = new Map<string, number[]>();
  #left: number;

  constructor(calls: readonly Call[]) {
    this.#calls = [...calls];
    this.#left = calls.length;
    for (const [place, call] of calls.entries()) {
      const key = callKey(call);
      const places = this.#places.get(key);
      if (places) places.push(place);
      else this.#places.set(key, [place]);
    }
  }

  get isEmpty(): boolean {
    return this.#left === 0;
  }

  /** True where a call that waits says the same as `call`: it waits no longer. */
  take(call: Call): boolean {
    const place = this.#places.get(callKey(call))?.pop();
    if (place === undefined) return false;
    this.#calls[place] = undefined;
    this.#left -= 1;
    return true;
  }

  /** Those that still wait, in their order. */
  rest(): readonly Call[] {
    return this.#calls.filter((call) => call !== undefined);
  }
}
