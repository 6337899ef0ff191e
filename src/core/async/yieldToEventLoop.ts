// Yields to the event loop between slices of long work. One queue for the whole process.

/** Callers that wait for their tick, in order. */
const queue: (() => void)[] = [];

/**
 * Resolves after the process could do other work. One waiter is resumed per tick, so that short work waits for one slice
 * only, however many long tasks there are. Rejects with the signal's reason.
 */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    queue.push(resolve);
    if (queue.length === 1) scheduleNext();
  });
  signal?.throwIfAborted();
}

/** Waits for one full iteration of the event loop: a single `setImmediate` in an I/O callback would run before timers and other I/O. */
function scheduleNext(): void {
  setImmediate(() => setImmediate(resumeOne));
}

function resumeOne(): void {
  queue.shift()?.();
  if (queue.length > 0) scheduleNext();
}

/** Calls back in the next iteration of the loop without queueing: for short work that comes in large numbers. */
export function runOnNextTick(run: () => void): void {
  setImmediate(run);
}

/** Value that a generator yields if its work is long: an event-loop tick follows. */
export const YIELD = Symbol("a turn of the event loop");

/** Maximum number of items emitted in one event-loop tick, because each costs its consumer time. */
const ITEMS_PER_TICK = 256;

/** Iterates over the items of the steps. Yields to the event loop when a step is `YIELD`, and after many items. Throws the signal's reason. */
export async function* iterateCooperatively<T>(
  steps: Iterable<T | typeof YIELD>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let emitted = 0;
  for (const step of steps) {
    if (step !== YIELD) {
      emitted += 1;
      yield step;
    }
    if (step !== YIELD && emitted < ITEMS_PER_TICK) continue;
    emitted = 0;
    await yieldToEventLoop(signal);
  }
}

/** Runs the steps and returns their result. Yields to the event loop when a step is `YIELD`. Throws the signal's reason. */
export async function runCooperatively<T>(steps: Iterator<typeof YIELD, T>, signal?: AbortSignal): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    await yieldToEventLoop(signal);
    step = steps.next();
  }
  return step.value;
}

/** Like `runCooperatively`, without yielding: for work that is known to be short. */
export function runToCompletion<T>(steps: Iterator<typeof YIELD, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

export class YieldBudget {
  readonly #slice: number;
  #used = 0;

  /** @param slice amount of work per tick, in the unit of `due`. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** Call before work that costs `work`: returns true if an event-loop tick is due first. */
  isDue(work: number): boolean {
    this.#used += work;
    if (this.#used <= this.#slice) return false;
    this.#used = work;
    return true;
  }
}
