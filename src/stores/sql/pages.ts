// Long reads and deletions in slices between which everything else has its turn. Knows no table.
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";

/** Rows of one statement: below a millisecond or two each, so that the event loop is never held for long. */
export const SLICE = 500;

/**
 * Pages of rows in the order of their numbers, each from behind the last one.
 * @param page rows whose `seq` is above `after`, at most `SLICE`
 */
export async function* iteratePages<T extends { readonly seq: number }>(
  page: (after: number) => Promise<readonly T[]>,
  after: number,
): AsyncIterable<readonly T[]> {
  for (let last = after; ; ) {
    const rows = await page(last);
    yield rows;
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.seq ?? last;
    await yieldToEventLoop();
  }
}
