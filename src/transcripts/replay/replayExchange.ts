// Replays one recorded exchange as an Egress would, without a wait.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { EgressResponse } from "../../core/ports.ts";
import type { RecordedExchange } from "../format/Transcript.ts";

/**
 * Resolves or rejects as the recorded exchange did, at once instead of at the recorded times.
 * @param chunks the body in the pieces in which it is to come.
 */
export function replayExchange(
  exchange: RecordedExchange,
  chunks: readonly Uint8Array[],
  signal: AbortSignal,
): EgressResponse {
  if (signal.aborted) throw cancelled(signal);
  const { response } = exchange;
  // An egress resolves with the first byte in hand, so what broke before it was never a response.
  if (!response || (chunks.length === 0 && exchange.end.how === "broken"))
    throw createBrokenError(exchange, "upstream_unavailable");
  return { status: response.status, headers: response.headers, body: play(exchange, chunks, signal) };
}

async function* play(
  exchange: RecordedExchange,
  chunks: readonly Uint8Array[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (signal.aborted) throw cancelled(signal);
    yield chunk;
  }
  if (signal.aborted) throw cancelled(signal);
  if (exchange.end.how !== "complete") throw createBrokenError(exchange, "upstream_truncated");
}

function createBrokenError(
  exchange: RecordedExchange,
  fallback: "upstream_unavailable" | "upstream_truncated",
): PostelError {
  const { end, n } = exchange;
  if (end.how === "aborted") {
    const message = `Recorded exchange ${n} was left by the gateway at this point, but is now read on.`;
    return new PostelError(createFailure("replay_mismatch", message));
  }
  if (end.failure) return new PostelError(createFailure(end.failure.code, end.failure.message));
  return new PostelError(createFailure(fallback, "The recorded connection broke here."));
}

function cancelled(signal: AbortSignal): PostelError {
  if (signal.reason instanceof PostelError) return signal.reason;
  return new PostelError(createFailure("cancelled", "The replayed exchange was cancelled."), { cause: signal.reason });
}
