// A failure → the HTTP status and the OpenAI error body: the one map. Knows no request and no response.
import { FAILURE_CODES, type Failure, type Fault } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import { mayCallerRepeat } from "../core/retryPolicy.ts";

/** The `type` of an OpenAI error, by whose fault it is. */
const TYPES: Readonly<Record<Fault, string>> = {
  caller: "invalid_request_error",
  model: "model_error",
  upstream: "upstream_error",
  tool: "tool_error",
  operator: "server_error",
};

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** What an answer had reached before it failed. */
export interface Partial {
  readonly content: string;
  readonly runId?: string | undefined;
}

export function openaiError(failure: Failure, partial?: Partial): ErrorReply {
  const { code, message, details } = failure;
  const param = details?.param;
  // The code first: who reads only the beginning of a long error finds it.
  const error = {
    code,
    message,
    type: code === "upstream_rate_limited" ? "rate_limit_error" : TYPES[failure.fault],
    param: typeof param === "string" ? param : null,
    ...(failure.fault === "model" && details && { details }),
    ...(partial && { partial: wirePartial(partial) }),
  };
  return { status: FAILURE_CODES[code].status, headers: errorHeaders(failure), body: { error } };
}

/** UTF-16 units of what an answer had reached that its error repeats: some 16,000 tokens. */
const PARTIAL_CHARS = 65_536;

function wirePartial({ content, runId }: Partial): JsonObject {
  // Never between the halves of a surrogate pair.
  const kept =
    content.length > PARTIAL_CHARS ? content.slice(0, PARTIAL_CHARS).replace(/[\uD800-\uDBFF]$/, "") : content;
  const omitted = content.length - kept.length;
  return {
    content: kept,
    ...(omitted > 0 && { content_omitted: omitted }),
    ...(runId !== undefined && { run_id: runId }),
  };
}

function errorHeaders(failure: Failure): Record<string, string> {
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
