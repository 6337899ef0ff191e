// A turn of the event loop between two slices of long work. One for the whole process, as the loop is; knows no work.

/** Those who wait for their turn, the first of whom has it next. */
const waiting: (() => void)[] = [];

/**
 * Resolves when the process has had the chance to do something else, for one waiter a turn of the loop: however many long works there
 * are, what is short waits for one slice and not for one of each. Rejects with the signal's reason.
 */
export async function loopTurn(signal?: AbortSignal): Promise<void> {
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
export function inNextRound(go: () => void): void {
  setImmediate(go);
}

/** What a generator yields where its work is long: the loop takes a turn before it is asked for more. */
export const TURN = Symbol("a turn of the event loop");

/** Things handed on in one turn of the loop: each costs whoever takes it. */
const THINGS_A_TURN = 256;

/** What the steps give, with turns of the loop where they ask for one, and where they gave much. Throws the signal's reason. */
export async function* inTurns<T>(
  steps: Iterable<T | typeof TURN>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let given = 0;
  for (const step of steps) {
    if (step !== TURN) {
      given += 1;
      yield step;
    }
    if (step !== TURN && given < THINGS_A_TURN) continue;
    given = 0;
    await loopTurn(signal);
  }
}

/** What steps that give nothing on their way come to, with a turn of the loop where they ask for one. Throws the signal's reason. */
export async function finishInTurns<T>(steps: Iterator<typeof TURN, T>, signal?: AbortSignal): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    await loopTurn(signal);
    step = steps.next();
  }
  return step.value;
}

/** As `finishInTurns`; a promise only where a turn is asked for. */
export function finishSoon<T>(steps: Iterator<typeof TURN, T>): T | Promise<T> {
  const first = steps.next();
  return first.done ? first.value : loopTurn().then(() => finishInTurns(steps));
}

/** As `finishInTurns`, in one go: for work that is known to be short. */
export function finish<T>(steps: Iterator<typeof TURN, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
