// How long the event loop was held up while work was done, by the thread's own CPU time: what else the machine does is nobody's fault.

/** Milliseconds between two looks. */
const LOOK_MS = 1;

/** Resolves with what the work gave, and the milliseconds of the longest slice. */
export async function longestSlice<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  let longest = 0;
  let last = cpuMs();
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const looking = setInterval(look, LOOK_MS);
  try {
    const value = await work();
    look();
    return { value, ms: longest };
  } finally {
    clearInterval(looking);
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
