// Values that must not be written anywhere. Printing or serialising them shows only a mask.

export class Secrets {
  readonly #values: readonly string[];
  readonly #unnamed: ReadonlySet<string>;

  /** @param unnamed values that nothing names as a key, and that do not look like one. */
  constructor(values: readonly string[], unnamed: readonly string[] = []) {
    this.#values = [...new Set(values)].filter((value) => value !== "");
    this.#unnamed = new Set(unnamed);
  }

  /** The secrets, for the redactor. */
  reveal(): readonly string[] {
    return this.#values;
  }

  /** The values that are keys: another key does not change the effect of a call, any other value may. */
  revealKeys(): readonly string[] {
    return this.#values.filter((value) => !this.#unnamed.has(value));
  }

  toJSON(): string {
    return "[secrets]";
  }
}
