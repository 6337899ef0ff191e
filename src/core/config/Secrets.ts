// Values that must not be written anywhere. Refuses to show them by accident: printed or turned into JSON it is a mask.

export class Secrets {
  readonly #values: readonly string[];
  readonly #unnamed: ReadonlySet<string>;

  /** @param unnamed those of the values that nothing names as a key, and that do not look like one. */
  constructor(values: readonly string[], unnamed: readonly string[] = []) {
    this.#values = [...new Set(values)].filter((value) => value !== "");
    this.#unnamed = new Set(unnamed);
  }

  /** For the redactor, which must know what to look for. */
  reveal(): readonly string[] {
    return this.#values;
  }

  /** Those that are keys: another key does not change what a call does, any other value may. */
  revealKeys(): readonly string[] {
    return this.#values.filter((value) => !this.#unnamed.has(value));
  }

  toJSON(): string {
    return "[secrets]";
  }
}
