// The system clock, ids and random numbers.
import { randomFillSync, randomInt } from "node:crypto";
import type { AlarmClock, Ids, Random } from "../core/ports.ts";

export const systemClock: AlarmClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not `node:timers/promises`: it rejects with a new error each time, but the port promises the signal's reason.
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const wake = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  },
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

export const systemIds: Ids = {
  callId: () => drawn(5) + drawn(4),
  requestId,
};

export const systemRandom: Random = () => Math.random();

const ID_BYTES = 16;
/** Random bytes for 256 ids: one call of the random source costs more than the rest of an id. */
const idBytes = Buffer.alloc(256 * ID_BYTES);
let used = idBytes.length;

function requestId(): string {
  if (used === idBytes.length) {
    randomFillSync(idBytes);
    used = 0;
  }
  used += ID_BYTES;
  return idBytes.toString("hex", used - ID_BYTES, used);
}

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Takes characters from one random number, since hostile texts have a million calls. At most 8: one number has no more bits. */
function drawn(characters: number): string {
  let thrown = randomInt(ALPHANUMERIC.length ** characters);
  let text = "";
  for (let i = 0; i < characters; i += 1) {
    text += ALPHANUMERIC.charAt(thrown % ALPHANUMERIC.length);
    thrown = Math.floor(thrown / ALPHANUMERIC.length);
  }
  return text;
}
