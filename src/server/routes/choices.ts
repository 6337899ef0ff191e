// Several answers to one request, each a turn of its own: who asks for which, as many at once as there are places. Knows no event's meaning but a failure's.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { ChatRequest } from "../../core/requests.ts";

/** Takes what one of the choices says; a turn that is the only one need not say which it is. */
export type TakeChoice = (events: readonly RunEvent[], choice?: number) => SinkSignal | Promise<SinkSignal>;

/** Takes one turn. */
type Turn = (signal: AbortSignal, take: EventSink<RunEvent>) => Promise<void>;

/** The requests of the turns behind the first: each has an id of its own, and a seed of its own where one is given, or all would say the same. */
export function createChoiceRequests(chat: ChatRequest, choices: number): readonly ChatRequest[] {
  const { id, sampling } = chat;
  return Array.from({ length: choices - 1 }, (_, index): ChatRequest => {
    const seed = sampling.seed === undefined ? undefined : sampling.seed + index + 1;
    return { ...chat, id: `${id}-${index + 2}`, sampling: seed === undefined ? sampling : { ...sampling, seed } };
  });
}

/**
 * Takes the turns, `atOnce` of them at a time; `take` is given the events of one after those of another, never two at a time. Where one
 * fails, the others are stopped and nothing further of theirs is told: an answer without one of its choices is none. Throws what `take` throws.
 */
export async function takeChoices(
  turns: readonly Turn[],
  { signal, atOnce }: { readonly signal: AbortSignal; readonly atOnce: number },
  take: TakeChoice,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let last: Promise<unknown> = Promise.resolve();
  const tell = (events: readonly RunEvent[], choice: number): Promise<SinkSignal> => {
    const said = last.then(() => {
      if (stop.signal.aborted) return "enough";
      if (events.some(({ type }) => type === "turn-failed")) stop.abort();
      return take(events, choice);
    });
    last = said.catch(() => stop.abort());
    return said;
  };
  const waiting = [...turns.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
      const [choice, turn] = next;
      await turn(either, (events) => tell(events, choice));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, turns.length) }, work));
}
