// Tells the observer of every exchange and every retry. Changes nothing, and knows no connection.
import { PostelError } from "../core/failures.ts";
import type { Clock, Egress, EgressRequest, Observer } from "../core/ports.ts";

/** For the outermost place: an exchange counts once, with the status that was handed on and the milliseconds to its first byte. */
export function observeEgress(
  inner: Egress,
  { observer, clock }: { readonly observer: Observer; readonly clock: Pick<Clock, "monotonic"> },
): Egress {
  return {
    async send(request, signal) {
      const { run, key } = request.purpose;
      const start = clock.monotonic();
      try {
        const response = await inner.send(tellingRetries(request, observer), signal);
        observer.observe({ type: "exchange", run, key, status: response.status, ms: clock.monotonic() - start });
        return response;
      } catch (error) {
        if (error instanceof PostelError) observer.observe({ type: "failure", run, failure: error.failure });
        throw error;
      }
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
