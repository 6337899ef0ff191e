// All stored events of a run, and what was said in the end, over its waits and its crashes. Knows no session.

import { yieldToEventLoop } from "../core/async/yieldToEventLoop.ts";
import { type Collected, Collector } from "../core/events/Collector.ts";
import type { RunEvent } from "../core/events/events.ts";
import type { OwnerKey, RunStore } from "../core/stores.ts";

/** Events that are read at once. */
const A_PIECE = 1_000;

/**
 * What the run's reader has in the end: of a turn that was cut by a crash only what was told anew, and of a wait that is over no call that
 * asked for a decision.
 */
export async function collectRun(runs: Pick<RunStore, "events">, run: OwnerKey): Promise<Collected> {
  const said = new ResumedRunCollector();
  for (const event of lasting(await readRunEvents(runs, run))) said.add(event);
  return said.value();
}

/** Between what was said before a wait and behind it. */
const TEXT_BREAK: RunEvent = { type: "text-delta", text: "\n\n" };

/** What a run says over its waits, as one: what came before a wait stands apart from what comes behind it. */
export class ResumedRunCollector {
  readonly #collector = new Collector();
  #waited = false;

  add(event: RunEvent): void {
    if (event.type === "run-end") this.#waited = this.#collector.spoke;
    if (event.type === "text-delta" && this.#waited) {
      this.#collector.add(TEXT_BREAK);
      this.#waited = false;
    }
    this.#collector.add(event);
  }

  value(): Collected {
    return this.#collector.value();
  }
}

/** In their order. */
export async function readRunEvents(runs: Pick<RunStore, "events">, run: OwnerKey): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ; ) {
    const piece = await runs.events(run, after, A_PIECE);
    for (const { event } of piece) all.push(event);
    const last = piece.at(-1);
    if (!last || piece.length < A_PIECE) return all;
    after = last.seq;
    await yieldToEventLoop();
  }
}

function lasting(events: readonly RunEvent[]): readonly RunEvent[] {
  // Behind the last wait that is over; the end that nothing follows is the run's state now.
  const part = events.findLastIndex(({ type }, at) => type === "run-end" && at < events.length - 1) + 1;
  const kept: RunEvent[] = [];
  /** Where the turn that is told began. */
  let turn = 0;
  for (const [at, event] of events.entries()) {
    if (event.type === "run-resumed" && event.turn !== undefined)
      for (const told of kept.splice(turn)) if (outlastsCrash(told)) kept.push(told);
    if (event.type !== "tool-call" || at >= part) kept.push(event);
    if (event.type === "turn-end") turn = kept.length;
  }
  return kept;
}

/** What a model has said of a turn is told anew; what tools have done stands. */
function outlastsCrash({ type }: RunEvent): boolean {
  return type !== "text-delta" && type !== "reasoning-delta" && type !== "tool-call";
}
