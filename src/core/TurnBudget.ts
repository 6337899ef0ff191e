// When work that is written as steps asks for a turn of the event loop. Takes none itself, and knows no work.
import { TURN } from "./loopTurn.ts";

export class TurnBudget {
  readonly #slice: number;
  #spent = 0;

  /** @param slice what may be done in one go, in the unit of `spend`. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** To be asked before a piece of work that costs `work`; gives nothing while the slice lasts. */
  *spend(work: number): Generator<typeof TURN, void> {
    this.#spent += work;
    if (this.#spent <= this.#slice) return;
    this.#spent = work;
    yield TURN;
  }
}
