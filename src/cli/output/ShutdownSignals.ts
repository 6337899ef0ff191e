// What asks a command to end before it is done: the keyboard, whoever started it, a reader who has left. Knows no command.
import { constants } from "node:os";
import { createFailure, PostelError } from "../../core/failures.ts";
import { EXIT_SIGPIPE } from "./terminal.ts";

const HEARD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** From its making until `end`: the first signal asks for an end in order, a second one ends the process at once. */
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

  /** The exit status of a command that ended for it; undefined while nobody has asked. */
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

  /** Told once for each piece that can no longer be written. */
  readonly #onReaderLeft = (): void => {
    if (this.#status === undefined) this.#stop(EXIT_SIGPIPE, "since nobody reads what it writes any more");
  };

  #stop(status: number, how: string): void {
    this.#status = status;
    this.#asked.abort(new PostelError(createFailure("cancelled", `The run was stopped ${how}.`)));
  }
}
