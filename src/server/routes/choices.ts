// Runs several choices of one request, each as a turn of its own, as many at once as permits are free.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { ChatRequest } from "../../core/requests.ts";

/** Receives the events of a choice; a single turn may omit the index. */
export type TakeChoice = (events: readonly RunEvent[], choice?: number) => SinkSignal | Promise<SinkSignal>;

/** Runs one turn. */
type Turn = (signal: AbortSignal, take: EventSink<RunEvent>) => Promise<void>;

/**
 * Requests of the second and later choices. Each has its own id, and its own seed if a seed was given; otherwise all answers
 * would be equal.
 */
export function createChoiceRequests(chat: ChatRequest, choices: number): readonly ChatRequest[] {
  const { id, sampling } = chat;
  return Array.from({ length: choices - 1 }, (_, index): ChatRequest => {
    const seed = sampling.seed === undefined ? undefined : sampling.seed + index + 1;
    return { ...chat, id: `${id}-${index + 2}`, sampling: seed === undefined ? sampling : { ...sampling, seed } };
  });
}

/**
 * Runs the turns, `atOnce` of them in parallel; `take` is never called concurrently. If one turn fails, the others are
 * stopped and their events dropped, because an answer must have all its choices. Throws what `take` throws.
 */
export async function takeChoices(
  turns: readonly Turn[],
  { signal, atOnce }: { readonly signal: AbortSignal; readonly atOnce: number },
  onEvents: TakeChoice,
): Promise<void> {
  const stop = new AbortController();
  const combinedSignal = AbortSignal.any([signal, stop.signal]);
  let last: Promise<unknown> = Promise.resolve();
  const forward = (events: readonly RunEvent[], choice: number): Promise<SinkSignal> => {
    const signal = last.then(() => {
      if (stop.signal.aborted) return "enough";
      if (events.some(({ type }) => type === "turn-failed")) stop.abort();
      return onEvents(events, choice);
    });
    last = signal.catch(() => stop.abort());
    return signal;
  };
  const waiting = [...turns.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
      const [choice, turn] = next;
      await turn(combinedSignal, (events) => forward(events, choice));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, turns.length) }, work));
}
