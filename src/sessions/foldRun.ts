// Reads all stored events of a run and collects them, over waits and crashes.

import { yieldToEventLoop } from "../core/async/yieldToEventLoop.ts";
import { type Collected, Collector } from "../core/events/Collector.ts";
import type { RunEvent } from "../core/events/events.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";
import type { RunStore } from "../core/stores/RunStore.ts";

/** Maximum number of events per read. */
const A_PIECE = 1_000;

/** The content that the client has in the end. After a crash only the repeated turn counts; after a wait the calls for the decision do not. */
export async function collectRun(runs: Pick<RunStore, "events">, run: OwnerKey): Promise<Collected> {
  const collector = new ResumedRunCollector();
  for (const event of dropVoidEvents(await readRunEvents(runs, run))) collector.add(event);
  return collector.value();
}

/** Separates the texts before and after a wait. */
const TEXT_BREAK: RunEvent = { type: "text-delta", text: "\n\n" };

/** Collects a run over its waits, and separates the texts before and after each. */
export class ResumedRunCollector {
  readonly #collector = new Collector();
  #hasWaited = false;

  add(event: RunEvent): void {
    if (event.type === "run-end") this.#hasWaited = this.#collector.hasVisibleText;
    if (event.type === "text-delta" && this.#hasWaited) {
      this.#collector.add(TEXT_BREAK);
      this.#hasWaited = false;
    }
    this.#collector.add(event);
  }

  value(): Collected {
    return this.#collector.getCollected();
  }
}

/** All events, in order. */
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

function dropVoidEvents(events: readonly RunEvent[]): readonly RunEvent[] {
  // Start of the events after the last finished wait; an end without further events is the current state.
  const part = events.findLastIndex(({ type }, at) => type === "run-end" && at < events.length - 1) + 1;
  const lastingEvents: RunEvent[] = [];
  /** Index at which the current turn began. */
  let turn = 0;
  for (const [at, event] of events.entries()) {
    if (event.type === "run-resumed" && event.turn !== undefined)
      for (const event of lastingEvents.splice(turn)) if (isValidAfterCrash(event)) lastingEvents.push(event);
    if (event.type !== "tool-call" || at >= part) lastingEvents.push(event);
    if (event.type === "turn-end") turn = lastingEvents.length;
  }
  return lastingEvents;
}

/** After a crash the model's output is emitted again, but effects of tools stay. */
function isValidAfterCrash({ type }: RunEvent): boolean {
  return type !== "text-delta" && type !== "reasoning-delta" && type !== "tool-call";
}
