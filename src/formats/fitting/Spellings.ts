// Names by the two spellings in which a near miss is looked for, each look-up one step however many there are. Knows no meaning of them.
import { fold, letters } from "./resolveName.ts";

type Spelling = "fold" | "letters";

const SPELL = { fold, letters } as const;

export class Spellings {
  readonly #names: readonly string[];
  readonly #known: { [spelling in Spelling]?: ReadonlyMap<string, readonly string[]> } = {};

  constructor(names: Iterable<string>) {
    this.#names = [...names];
  }

  /** The names that are spelled like this one. */
  like(written: string, spelling: Spelling): readonly string[] {
    this.#known[spelling] ??= Map.groupBy(this.#names, SPELL[spelling]);
    return this.#known[spelling].get(SPELL[spelling](written)) ?? [];
  }
}
