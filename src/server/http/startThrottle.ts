// Limits how many requests begin in one event-loop tick.
import { runOnNextTick } from "../../core/async/yieldToEventLoop.ts";

/**
 * A request costs a few milliseconds of CPU before its upstream is called. With this limit a short request waits some tens of
 * milliseconds, and not for all requests that came at once.
 */
const A_ROUND = 4;

/**
 * Starts requests in order, a limited number per tick. It starts them at the end of a tick, when bodies that came with their
 * heads have arrived.
 */
export type Turnstile = (go: () => void) => void;

export function startThrottle(limit = A_ROUND): Turnstile {
  const waiting: (() => void)[] = [];
  const admitNext = (): void => {
    const admitted = waiting.splice(0, limit);
    if (waiting.length > 0) runOnNextTick(admitNext);
    for (const go of admitted) go();
  };
  return (go) => {
    waiting.push(go);
    if (waiting.length === 1) runOnNextTick(admitNext);
  };
}
