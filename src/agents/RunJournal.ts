// Writes down what a run is about to do and what came of it, and says what it means where that fails. Knows no step and no store.
import { failure, PostelError } from "../core/failures.ts";
import type { Observer, RunStore } from "../core/ports.ts";
import type { RunState } from "../core/run.ts";

export interface RunJournalOptions {
  readonly store: Pick<RunStore, "save" | "forget">;
  readonly observer: Observer;
}

export class RunJournal {
  readonly #store: RunJournalOptions["store"];
  readonly #observer: Observer;

  constructor({ store, observer }: RunJournalOptions) {
    this.#store = store;
    this.#observer = observer;
  }

  /**
   * The state before a step with side effects, which is taken only where this resolves: a run that went on from an older state
   * would take it again.
   * @throws PostelError `run_not_saved`.
   */
  async intent(state: RunState): Promise<void> {
    try {
      await this.#store.save(state);
    } catch (cause) {
      const message = `The state of the run could not be saved, so its tools were not run: ${wordsOf(cause)}`;
      throw new PostelError(failure("run_not_saved", message), { cause });
    }
  }

  /** The state after it. Never rejects: the intent is saved, and a run that goes on from that does nothing twice. */
  async outcome(state: RunState): Promise<void> {
    try {
      await this.#store.save(state);
    } catch (cause) {
      this.#tell(state.id, `The state of the run could not be saved after its tools had run: ${wordsOf(cause)}`);
    }
  }

  /** The run is over, however it ended. Never rejects. */
  async over(id: string): Promise<void> {
    try {
      await this.#store.forget(id);
    } catch (cause) {
      this.#tell(id, `The run is over, and its state could not be forgotten: ${wordsOf(cause)}`);
    }
  }

  #tell(run: string, message: string): void {
    this.#observer.observe({ type: "failure", run, failure: failure("run_not_saved", message) });
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
