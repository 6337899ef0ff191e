// Reads and deletes many records in slices that yield to other work.
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";

/** Number of records per statement: it takes a millisecond or two, so the event loop is never blocked for long. */
export const SLICE = 500;

/** Pages of records in the order of their numbers. @param page returns records with `seq` above `after`, at most `SLICE` */
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
