// Maps a failure to the status and headers of its answer, the same for every front API.
import { FAILURE_CODES, type Failure } from "../../core/failures.ts";
import { mayCallerRepeat } from "../../core/http/retryPolicy.ts";

export interface FailureHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export function buildFailureHead(failure: Failure): FailureHead {
  return { status: FAILURE_CODES[failure.code].status, headers: buildFailureHeaders(failure) };
}

function buildFailureHeaders(failure: Failure): Record<string, string> {
  const { code, details } = failure;
  const retryAfter = details?.retryAfterMs;
  const allow = details?.allow;
  // SDKs retry a 5xx on their own: in vain if it would fail again, too often if the gateway's retries are exhausted.
  return {
    ...(!mayCallerRepeat(failure) && { "x-should-retry": "false" }),
    ...(typeof retryAfter === "number" && { "retry-after": String(Math.ceil(retryAfter / 1000)) }),
    ...(typeof allow === "string" && { allow }),
    ...(code === "invalid_api_key" && { "www-authenticate": "Bearer" }),
  };
}
