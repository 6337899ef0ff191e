// Defines the failures of the gateway as plain data that events carry. PostelError wraps one for code that throws.
import type { JsonObject } from "./messages.ts";

/** The party at fault for a failure. */
export type Blame = "caller" | "model" | "upstream" | "tool" | "operator";

/** One entry per code: the party at fault, the HTTP status for the client, and `retryable` if the same request may succeed later. */
export const FAILURE_CODES = {
  invalid_request: { fault: "caller", status: 400, retryable: false },
  invalid_json: { fault: "caller", status: 400, retryable: false },
  unsupported_parameter: { fault: "caller", status: 400, retryable: false },
  unsupported_media_type: { fault: "caller", status: 415, retryable: false },
  request_timeout: { fault: "caller", status: 408, retryable: true },
  expectation_failed: { fault: "caller", status: 417, retryable: false },
  headers_too_large: { fault: "caller", status: 431, retryable: false },
  request_too_large: { fault: "caller", status: 413, retryable: false },
  invalid_api_key: { fault: "caller", status: 401, retryable: false },
  model_not_found: { fault: "caller", status: 404, retryable: false },
  agent_not_found: { fault: "caller", status: 404, retryable: false },
  workflow_not_found: { fault: "caller", status: 404, retryable: false },
  not_found: { fault: "caller", status: 404, retryable: false },
  method_not_allowed: { fault: "caller", status: 405, retryable: false },
  not_permitted: { fault: "caller", status: 403, retryable: false },
  session_not_found: { fault: "caller", status: 404, retryable: false },
  session_busy: { fault: "caller", status: 409, retryable: true },
  run_not_found: { fault: "caller", status: 404, retryable: false },
  run_waiting: { fault: "caller", status: 409, retryable: false },
  run_over: { fault: "caller", status: 409, retryable: false },
  interrupt_not_found: { fault: "caller", status: 404, retryable: false },
  interrupt_decided: { fault: "caller", status: 409, retryable: false },
  interrupt_expired: { fault: "caller", status: 410, retryable: false },
  decision_conflict: { fault: "caller", status: 409, retryable: false },
  plan_mismatch: { fault: "caller", status: 409, retryable: false },
  client_stalled: { fault: "caller", status: 499, retryable: false },
  cancelled: { fault: "caller", status: 499, retryable: false },
  model_output_invalid: { fault: "model", status: 502, retryable: true },
  model_call_invalid: { fault: "model", status: 502, retryable: false },
  upstream_refused: { fault: "upstream", status: 400, retryable: false },
  upstream_unauthorized: { fault: "upstream", status: 401, retryable: false },
  upstream_forbidden: { fault: "upstream", status: 403, retryable: false },
  upstream_not_found: { fault: "upstream", status: 404, retryable: false },
  upstream_rate_limited: { fault: "upstream", status: 429, retryable: true },
  upstream_error: { fault: "upstream", status: 502, retryable: true },
  upstream_unavailable: { fault: "upstream", status: 502, retryable: true },
  upstream_overloaded: { fault: "upstream", status: 503, retryable: true },
  upstream_timeout: { fault: "upstream", status: 504, retryable: true },
  upstream_truncated: { fault: "upstream", status: 502, retryable: true },
  upstream_answer_too_large: { fault: "upstream", status: 502, retryable: false },
  upstream_protocol_error: { fault: "upstream", status: 502, retryable: true },
  content_filter: { fault: "caller", status: 400, retryable: false },
  context_length_exceeded: { fault: "caller", status: 400, retryable: false },
  step_failed: { fault: "tool", status: 502, retryable: false },
  turn_timeout: { fault: "operator", status: 504, retryable: true },
  run_not_saved: { fault: "operator", status: 503, retryable: true },
  run_taken: { fault: "operator", status: 409, retryable: true },
  store_unavailable: { fault: "operator", status: 503, retryable: true },
  store_full: { fault: "operator", status: 507, retryable: false },
  store_damaged: { fault: "operator", status: 500, retryable: false },
  invalid_configuration: { fault: "operator", status: 500, retryable: false },
  replay_mismatch: { fault: "operator", status: 500, retryable: false },
  egress_refused: { fault: "operator", status: 500, retryable: false },
  gateway_overloaded: { fault: "operator", status: 503, retryable: true },
  shutting_down: { fault: "operator", status: 503, retryable: true },
  internal_error: { fault: "operator", status: 500, retryable: false },
} as const satisfies Record<string, { fault: Blame; status: number; retryable: boolean }>;

export type FailureCode = keyof typeof FAILURE_CODES;

export interface Failure {
  readonly fault: Blame;
  readonly code: FailureCode;
  /** Text for the user: what happened, where, and what to do. Never contains a secret. */
  readonly message: string;
  /** Further facts: `param` (the request field), `status` and `body` of the upstream, `retryAfterMs` … */
  readonly details?: JsonObject | undefined;
}

/** Builds a failure; the fault follows from the code. */
export function createFailure(code: FailureCode, message: string, details?: JsonObject): Failure {
  return { fault: FAILURE_CODES[code].fault, code, message, ...(details && { details }) };
}

/** An error that carries a failure, for code that cannot emit it as an event. */
export class PostelError extends Error {
  override readonly name = "PostelError";
  readonly failure: Failure;

  constructor(cause: Failure, options?: ErrorOptions) {
    super(cause.message, options);
    this.failure = cause;
  }
}

/** The failure of a PostelError; any other error becomes `internal_error`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PostelError) return error.failure;
  const description = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return createFailure(
    "internal_error",
    `A run failed inside the gateway (${description}). This is a fault of Postel.`,
  );
}

/** Refuses a request because of one of its fields. @param param the field */
export function refuseField(param: string, message: string): never {
  throw new PostelError(createFailure("invalid_request", message, { param }));
}
