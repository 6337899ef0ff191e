// How long the event loop was held up while work was done, by the thread's own CPU time: what else the machine does is nobody's fault.

/** Milliseconds between two looks. */
const LOOK_MS = 1;

/** What holds the event loop up does so every time; what else a machine does, once in a while. */
const TRIES = 4;

/** The work again until no slice of it is as long as that, a few times at the most: what the last gave, and the least of the longest. */
export async function leastSlice<T>(
  work: () => Promise<T>,
  under: number,
): Promise<{ readonly value: T; readonly ms: number }> {
  let least = await longestSlice(work);
  for (let tries = 1; tries < TRIES && least.ms >= under; tries += 1) {
    const { value, ms } = await longestSlice(work);
    least = { value, ms: Math.min(ms, least.ms) };
  }
  return least;
}

/** Resolves with what the work gave, and the milliseconds of the longest slice. */
async function longestSlice<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
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
