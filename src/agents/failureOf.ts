// What a stream says when something threw that must not have. Knows no stream.
import { type Failure, failure, PostelError } from "../core/failures.ts";

/** A PostelError's own failure; anything else is a fault of the gateway. */
export function failureOf(error: unknown): Failure {
  if (error instanceof PostelError) return error.failure;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return failure("internal_error", `A run broke inside the gateway (${what}). This is a fault of Postel.`);
}
