/** Turns of the event loop (`core/yieldToEventLoop`) that were had while the work was done: each is two of its rounds. */
export async function turnsWhile(work: () => unknown): Promise<number> {
  let rounds = 0;
  let running = true;
  const count = (): void => {
    if (!running) return;
    rounds += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  running = false;
  return Math.floor(rounds / 2);
}
