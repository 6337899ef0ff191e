// Limits for what a test waits for: a wait that does not end fails, and says what it waited for.

/** Milliseconds; on a machine that is busy with other tests each of these waits takes a few seconds. */
const WAIT_MS = 60_000;

/** @param what says what is waited for, in the error. @throws Error after `WAIT_MS`. */
export async function inTime<Value>(what: string, awaited: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`Waited ${WAIT_MS} ms for ${what}.`)), WAIT_MS);
  try {
    return await Promise.race([awaited, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again and again until it is so. @param what as of `inTime`. @throws Error after `WAIT_MS`. */
export async function until(holds: () => Promise<boolean>, what = "something to come true"): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Waited ${WAIT_MS} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
