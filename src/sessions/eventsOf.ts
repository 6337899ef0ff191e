// All stored events of a run, read in pieces. Knows no event.
import type { RunEvent } from "../core/events.ts";
import { loopTurn } from "../core/loopTurn.ts";
import type { OwnedKey, RunStore } from "../core/stores.ts";

/** Events that are read at once. */
const A_PIECE = 1_000;

export async function eventsOf(runs: Pick<RunStore, "events">, run: OwnedKey): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ; ) {
    const piece = await runs.events(run, after, A_PIECE);
    all.push(...piece.map(({ event }) => event));
    const last = piece.at(-1);
    if (!last || piece.length < A_PIECE) return all;
    after = last.seq;
    await loopTurn();
  }
}
