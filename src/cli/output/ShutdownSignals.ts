// Detects requests to end a command early: Ctrl-C, a signal, or a closed output pipe.
import { constants } from "node:os";
import { createFailure, PostelError } from "../../core/failures.ts";
import { EXIT_SIGPIPE } from "./terminal.ts";

const HEARD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Active from creation until `end`: the first signal asks for an orderly end, a second one exits at once. */
export class ShutdownSignals {
  readonly #heard: readonly NodeJS.Signals[];
  readonly #asked = new AbortController();
  #status: number | undefined;

  constructor(heard: readonly NodeJS.Signals[] = HEARD) {
    this.#heard = heard;
    for (const signal of heard) process.on(signal, this.#onSignal);
    process.stdout.on("error", this.#onReaderLeft);
  }

  /** Aborted with a PostelError `cancelled` once the command is to end. */
  get signal(): AbortSignal {
    return this.#asked.signal;
  }

  /** Exit status of a command that a signal ended; undefined while none came. */
  get status(): number | undefined {
    return this.#status;
  }

  end(): void {
    for (const signal of this.#heard) process.off(signal, this.#onSignal);
    process.stdout.off("error", this.#onReaderLeft);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const status = 128 + constants.signals[signal];
    if (this.#status !== undefined) process.exit(status);
    this.#stop(status, signal === "SIGINT" ? "from the keyboard" : `by ${signal}`);
  };

  /** Called once for each piece that could not be written. */
  readonly #onReaderLeft = (): void => {
    if (this.#status === undefined) this.#stop(EXIT_SIGPIPE, "since nobody reads what it writes any more");
  };

  #stop(status: number, how: string): void {
    this.#status = status;
    this.#asked.abort(new PostelError(createFailure("cancelled", `The run was stopped ${how}.`)));
  }
}
