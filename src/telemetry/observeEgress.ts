// Reports every exchange to the observer. Changes nothing.
import type { Clock, Egress, Observer } from "../core/ports.ts";

/**
 * Outermost egress: an exchange counts once, with the final status and the milliseconds to its first byte. The requester reports a failed
 * exchange, as the end of a turn or the result of a tool.
 */
export function observeEgress(
  inner: Egress,
  { observer, clock }: { readonly observer: Observer; readonly clock: Pick<Clock, "monotonic"> },
): Egress {
  return {
    send(request, signal) {
      const start = clock.monotonic();
      return inner.send(request, signal).then((response) => {
        const { run, kind, key } = request.purpose;
        const ms = clock.monotonic() - start;
        observer.observe({ type: "exchange", run, kind, key, status: response.status, ms });
        return response;
      });
    },
  };
}
