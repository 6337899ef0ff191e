// The clock, the ids and the dice of the real world. Knows nothing of what they are used for.
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock, Ids, Random } from "../core/ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      // Node rejects with an AbortError of its own; the port promises the signal's reason.
      throw signal.aborted ? signal.reason : error;
    }
  },
};

export const systemIds: Ids = {
  callId: () => drawn(5) + drawn(4),
  requestId: () => randomUUID().replaceAll("-", ""),
};

export const systemRandom: Random = () => Math.random();

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters from one throw of the dice, which costs more than all the rest: hostile texts hold a million calls. At most 8, or no throw is wide enough. */
function drawn(characters: number): string {
  let thrown = randomInt(ALPHANUMERIC.length ** characters);
  let text = "";
  for (let i = 0; i < characters; i += 1) {
    text += ALPHANUMERIC.charAt(thrown % ALPHANUMERIC.length);
    thrown = Math.floor(thrown / ALPHANUMERIC.length);
  }
  return text;
}
