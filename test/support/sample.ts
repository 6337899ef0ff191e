// How much of a large test runs: all of it where TEST_WHOLE is set, as `npm run test:heavy` and `npm run fuzz` do; else a sample.
const isWhole = process.env.TEST_WHOLE !== undefined;

/** The runs of a property: a tenth of them in a sample, but at least 100. */
export function runsOf(whole: number): number {
  return isWhole ? whole : Math.min(whole, Math.max(100, Math.round(whole / 10)));
}

/** The items of a table: every n-th in a sample. */
export function sampleOf<Item>(items: readonly Item[], every: number): readonly Item[] {
  return isWhole ? items : items.filter((_, index) => index % every === 0);
}
