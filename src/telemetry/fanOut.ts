// Several observers as one. Observes nothing itself.
import type { Observer } from "../core/ports.ts";

/** Tells each, in their order. */
export function fanOut(observers: readonly Observer[]): Observer {
  return {
    observe: (observation) => {
      for (const observer of observers) observer.observe(observation);
    },
  };
}
