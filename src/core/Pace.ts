// Lets everybody else have their turn between the pieces of long work. Knows no work.
import { loopTurn } from "./loopTurn.ts";

export class Pace {
  readonly #slice: number;
  #spent = 0;

  /** @param slice what may be done in one go, in the unit of `spend`. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** To be awaited before a piece of work that costs `work`; resolves at once while the slice lasts. */
  async spend(work: number): Promise<void> {
    this.#spent += work;
    if (this.#spent <= this.#slice) return;
    this.#spent = work;
    await loopTurn();
  }
}
