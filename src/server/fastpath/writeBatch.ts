// Batches the writes of all answers to the end of the current event-loop tick, once per process.
import type { Socket } from "node:net";
import { runOnNextTick } from "../../core/async/yieldToEventLoop.ts";

/** Called at the end of this tick, in the order of registration. */
let waiting: (() => void)[] = [];

/**
 * Calls `leave` at the end of this tick, in the order of registration. Consecutive writes reach a client with many
 * connections in one of its ticks. Separate writes interrupt the client each time, which costs more than the write.
 */
export function scheduleWrite(leave: () => void): void {
  waiting.push(leave);
  if (waiting.length === 1) runOnNextTick(callAll);
}

/** Buffers the writes to a connection until the end of this tick. If the answer ends before, node flushes them with its end. */
export function corkUntilFlush(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  scheduleWrite(() => socket.uncork());
}

function callAll(): void {
  const leaving = waiting;
  waiting = [];
  let called = 0;
  try {
    for (const leave of leaving) {
      called += 1;
      leave();
    }
  } finally {
    // An exception of one callback must not stop the others.
    for (const leave of leaving.slice(called)) scheduleWrite(leave);
  }
}
