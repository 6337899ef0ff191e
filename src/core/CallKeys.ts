// The keys of the calls of one run, each made once: a run compares its last turns after each of them. Knows no turn.
import { callKey } from "./callKey.ts";

type Keyed = Parameters<typeof callKey>[0];

export class CallKeys {
  #known: WeakMap<Keyed, string> | undefined;

  /** See `callKey`. */
  of(call: Keyed): string {
    this.#known ??= new WeakMap();
    const known = this.#known.get(call);
    if (known !== undefined) return known;
    const key = callKey(call);
    this.#known.set(call, key);
    return key;
  }
}
