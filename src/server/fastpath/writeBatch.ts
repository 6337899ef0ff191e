// The end of a round of the event loop, at which what all answers wrote in it leaves: one for the whole process, as the loop is. Knows no answer.
import type { Socket } from "node:net";
import { runOnNextTick } from "../../core/async/yieldToEventLoop.ts";

/** Called at the end of this round, in the order in which they asked. */
let waiting: (() => void)[] = [];

/**
 * Calls `leave` at the end of this round of the loop, right behind those who asked before. Writes that follow each other directly reach a
 * client of many connections in one of its own rounds; apart from each other, each interrupts it, which costs both more than the write.
 */
export function scheduleWrite(leave: () => void): void {
  waiting.push(leave);
  if (waiting.length === 1) runOnNextTick(callAll);
}

/** Holds what is written to a connection until the end of this round. Of an answer that ends before, node lets all go with its end. */
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
    // What one of them throws is not the others' fault.
    for (const leave of leaving.slice(called)) scheduleWrite(leave);
  }
}
