// Says when long work is due a turn of the event loop. Takes none itself, and knows no work.

export class Pace {
  readonly #slice: number;
  #spent = 0;

  /** @param slice what may be done in one go, in the unit of `due`. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** To be asked before a piece of work that costs `work`: true where the loop takes a turn first. */
  due(work: number): boolean {
    this.#spent += work;
    if (this.#spent <= this.#slice) return false;
    this.#spent = work;
    return true;
  }
}
