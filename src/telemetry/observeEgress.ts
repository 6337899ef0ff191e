// Tells the observer of every exchange and every retry. Changes nothing, and knows no connection.
import type { Clock, Egress, EgressRequest, Observer } from "../core/ports.ts";

/**
 * For the outermost place: an exchange counts once, with the status that was handed on and the milliseconds to its first byte.
 * One that fails is told by whoever asked for it, as the end of a turn or the result of a tool.
 */
export function observeEgress(
  inner: Egress,
  { observer, clock }: { readonly observer: Observer; readonly clock: Pick<Clock, "monotonic"> },
): Egress {
  return {
    async send(request, signal) {
      const { run, kind, key } = request.purpose;
      const start = clock.monotonic();
      const response = await inner.send(tellingRetries(request, observer), signal);
      const ms = clock.monotonic() - start;
      observer.observe({ type: "exchange", run, kind, key, status: response.status, ms });
      return response;
    },
  };
}

function tellingRetries(request: EgressRequest, observer: Observer): EgressRequest {
  const { run, key, onRetry } = request.purpose;
  return {
    ...request,
    purpose: {
      ...request.purpose,
      onRetry: (reason) => {
        observer.observe({ type: "retry", run, key, reason });
        onRetry?.(reason);
      },
    },
  };
}
