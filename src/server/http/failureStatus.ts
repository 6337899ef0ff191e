// A failure → the status and the headers of its reply, the same on every wire. Knows no body.
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
  const wait = details?.retryAfterMs;
  const allow = details?.allow;
  // SDKs repeat a 5xx by themselves: in vain where the same would follow, too often where our own retries are spent.
  return {
    ...(!mayCallerRepeat(failure) && { "x-should-retry": "false" }),
    ...(typeof wait === "number" && { "retry-after": String(Math.ceil(wait / 1000)) }),
    ...(typeof allow === "string" && { allow }),
    ...(code === "invalid_api_key" && { "www-authenticate": "Bearer" }),
  };
}
