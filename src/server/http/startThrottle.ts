// How many requests begin in one round of the event loop. Knows no route, and refuses nobody.
import { runOnNextTick } from "../../core/async/yieldToEventLoop.ts";

/** A request costs a few milliseconds until its upstream is asked, so what is short waits for some tens of them and not for all that came at once. */
const A_ROUND = 4;

/** Lets requests on in their order, so many a round: at its end, when the bodies that came with their heads have come too. */
export type Turnstile = (go: () => void) => void;

export function startThrottle(most = A_ROUND): Turnstile {
  const waiting: (() => void)[] = [];
  const letOn = (): void => {
    const going = waiting.splice(0, most);
    if (waiting.length > 0) runOnNextTick(letOn);
    for (const go of going) go();
  };
  return (go) => {
    waiting.push(go);
    if (waiting.length === 1) runOnNextTick(letOn);
  };
}
