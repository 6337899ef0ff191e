// The one reading of an aborted signal. Does not know who aborted.
import { createFailure, PostelError } from "../core/failures.ts";

/** What an aborted exchange throws: the aborter's own PostelError if there is one (a timer says `upstream_timeout`), else `cancelled`. */
export function createAbortFailure(signal: AbortSignal): PostelError {
  if (signal.reason instanceof PostelError) return signal.reason;
  return new PostelError(createFailure("cancelled", "The exchange was cancelled before it had ended."), {
    cause: signal.reason,
  });
}
