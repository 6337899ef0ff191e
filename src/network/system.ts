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
  callId: () => Array.from({ length: 9 }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join(""),
  requestId: () => randomUUID().replaceAll("-", ""),
};

export const systemRandom: Random = () => Math.random();

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
