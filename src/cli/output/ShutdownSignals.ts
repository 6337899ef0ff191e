// Detects requests to end a command early: Ctrl-C, a signal, or a closed output pipe.
import { constants } from "node:os";
import { createFailure, PostelError } from "../../core/failures.ts";
import { EXIT_SIGPIPE } from "./terminal.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Active from creation until `end`: the first signal asks for an orderly end, a second one exits at once. */
export class ShutdownSignals {
  readonly #signals: readonly NodeJS.Signals[];
  readonly #stopController = new AbortController();
  #status: number | undefined;

  constructor(signals: readonly NodeJS.Signals[] = SIGNALS) {
    this.#signals = signals;
    for (const signal of signals) process.on(signal, this.#onSignal);
    process.stdout.on("error", this.#onReaderLeft);
  }

  /** Aborted with a PostelError `cancelled` once the command is to end. */
  get signal(): AbortSignal {
    return this.#stopController.signal;
  }

  /** Exit status of a command that a signal ended; undefined while none came. */
  get status(): number | undefined {
    return this.#status;
  }

  end(): void {
    for (const signal of this.#signals) process.off(signal, this.#onSignal);
    process.stdout.off("error", this.#onReaderLeft);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const status = 128 + constants.signals[signal];
    if (this.#status !== undefined) process.exit(status);
    this.#requestStop(status, signal === "SIGINT" ? "from the keyboard" : `by ${signal}`);
  };

  /** Called once for each piece that could not be written. */
  readonly #onReaderLeft = (): void => {
    if (this.#status === undefined) this.#requestStop(EXIT_SIGPIPE, "since nobody reads what it writes any more");
  };

  #requestStop(status: number, explanation: string): void {
    this.#status = status;
    this.#stopController.abort(new PostelError(createFailure("cancelled", `The run was stopped ${explanation}.`)));
  }
}
