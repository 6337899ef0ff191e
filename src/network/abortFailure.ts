// Converts an aborted signal to the error that the caller gets.
import { createFailure, PostelError } from "../core/failures.ts";

/** Creates the error of an aborted exchange: the PostelError of the aborter (a timer gives `upstream_timeout`), else `cancelled`. */
export function createAbortFailure(signal: AbortSignal): PostelError {
  if (signal.reason instanceof PostelError) return signal.reason;
  return new PostelError(createFailure("cancelled", "The exchange was cancelled before it had ended."), {
    cause: signal.reason,
  });
}
