// How many requests begin in one round of the event loop. Knows no route, and refuses nobody.
import type { RequestHandler } from "express";
import { inNextRound } from "../core/loopTurn.ts";

/** A request costs a few milliseconds until its upstream is asked, so what is short waits for some tens of them and not for all that came at once. */
const A_ROUND = 4;

/** Of requests that come together some go on at once, the others in their order in the rounds that follow. */
export function turnstile(most = A_ROUND): RequestHandler {
  const waiting: (() => void)[] = [];
  let passed = 0;
  const letOn = (): void => {
    const going = waiting.splice(0, most);
    passed = going.length;
    if (passed > 0) inNextRound(letOn);
    for (const go of going) go();
  };
  return (_request, _response, next) => {
    if (passed === most) {
      waiting.push(next);
      return;
    }
    if (passed === 0) inNextRound(letOn);
    passed += 1;
    next();
  };
}
