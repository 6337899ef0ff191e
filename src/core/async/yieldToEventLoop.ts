// A turn of the event loop between two slices of long work. One for the whole process, as the loop is; knows no work.

/** Those who wait for their turn, the first of whom has it next. */
const waiting: (() => void)[] = [];

/**
 * Resolves when the process has had the chance to do something else, for one waiter a turn of the loop: however many long works there
 * are, what is short waits for one slice and not for one of each. Rejects with the signal's reason.
 */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) wakeNext();
  });
  signal?.throwIfAborted();
}

/** Behind one whole round of the loop: what is set in answer to input or output would run before the timers and the rest of both. */
function wakeNext(): void {
  setImmediate(() => setImmediate(wakeOne));
}

function wakeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) wakeNext();
}

/** Calls back in the next round of the loop, whoever waits for a turn: for what is short and only comes in crowds. */
export function runOnNextTick(go: () => void): void {
  setImmediate(go);
}

/** What a generator yields where its work is long: the loop takes a turn before it is asked for more. */
export const YIELD = Symbol("a turn of the event loop");

/** Things handed on in one turn of the loop: each costs whoever takes it. */
const THINGS_A_TURN = 256;

/** What the steps give, with turns of the loop where they ask for one, and where they gave much. Throws the signal's reason. */
export async function* iterateCooperatively<T>(
  steps: Iterable<T | typeof YIELD>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let given = 0;
  for (const step of steps) {
    if (step !== YIELD) {
      given += 1;
      yield step;
    }
    if (step !== YIELD && given < THINGS_A_TURN) continue;
    given = 0;
    await yieldToEventLoop(signal);
  }
}

/** What steps that give nothing on their way come to, with a turn of the loop where they ask for one. Throws the signal's reason. */
export async function runCooperatively<T>(steps: Iterator<typeof YIELD, T>, signal?: AbortSignal): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    await yieldToEventLoop(signal);
    step = steps.next();
  }
  return step.value;
}

/** As `runCooperatively`; a promise only where a turn is asked for. */
export function runNowOrCooperatively<T>(steps: Iterator<typeof YIELD, T>): T | Promise<T> {
  const first = steps.next();
  return first.done ? first.value : yieldToEventLoop().then(() => runCooperatively(steps));
}

/** As `runCooperatively`, in one go: for work that is known to be short. */
export function runToCompletion<T>(steps: Iterator<typeof YIELD, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

export class YieldBudget {
  readonly #slice: number;
  #spent = 0;

  /** @param slice what may be done in one go, in the unit of `due`. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** To be asked before a piece of work that costs `work`: true where the loop takes a turn first. */
  due(work: number): boolean {
    this.#spent += work;
    if (this.#spent <= this.#slice) return false;
    this.#spent = work;
    return true;
  }
}
