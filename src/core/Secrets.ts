// Values that must not be written anywhere. Refuses to show them by accident: printed or turned into JSON it is a mask.

export class Secrets {
  readonly #values: readonly string[];

  constructor(values: readonly string[]) {
    this.#values = [...new Set(values)].filter((value) => value !== "");
  }

  /** For the redactor, which must know what to look for. */
  reveal(): readonly string[] {
    return this.#values;
  }

  toJSON(): string {
    return "[secrets]";
  }
}
