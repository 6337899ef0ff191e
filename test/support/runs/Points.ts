// Named points in the life of a run that a server of the test sees from outside: the first that comes to an armed one waits there.

export class Points {
  #armed:
    | { readonly name: string; readonly reached: PromiseWithResolvers<void>; readonly go: PromiseWithResolvers<void> }
    | undefined;

  /** Resolves when something has come to that point, where it waits until `release`. */
  arm(name: string): Promise<void> {
    this.#armed = { name, reached: Promise.withResolvers(), go: Promise.withResolvers() };
    return this.#armed.reached.promise;
  }

  release(): void {
    this.#armed?.go.resolve();
    this.#armed = undefined;
  }

  async at(name: string): Promise<void> {
    const armed = this.#armed;
    if (armed?.name !== name) return;
    armed.reached.resolve();
    await armed.go.promise;
  }
}
