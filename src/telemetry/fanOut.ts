// Combines several observers into one.
import type { Observer } from "../core/ports.ts";

/** Notifies each observer, in order. */
export function createFanOut(observers: readonly Observer[]): Observer {
  const [only] = observers;
  if (only && observers.length === 1) return only;
  return {
    observe: (observation) => {
      for (const observer of observers) observer.observe(observation);
    },
  };
}
