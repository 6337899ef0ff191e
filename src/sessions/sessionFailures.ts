// Errors of session requests.
import { createFailure, type FailureCode, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { InterruptRecord } from "../core/runs/interrupts.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";

export function createUnknownSessionError(id: string): PostelError {
  return createSessionError("session_not_found", `There is no session \`${id}\`. GET /v1/agent/sessions lists them.`);
}

/** The run of the session continues without a client. */
export function createRunningError({ id }: OwnerKey): PostelError {
  return createSessionError(
    "session_busy",
    `The session's run \`${id}\` is not over yet; send this again when it is (GET /v1/agent/runs/${id}).`,
    { retryAfterMs: 2_000 },
  );
}

export function runWaits({ id }: OwnerKey, open: readonly InterruptRecord[]): PostelError {
  const list = open.map((one) => `\`${one.id}\` (${one.type})`).join(", ");
  const instruction = `Decide each by a \`role: "tool"\` message of its id, or by POST /v1/agent/runs/${id}/interrupts/{id}`;
  return createSessionError(
    "run_waiting",
    `The session's run \`${id}\` waits for a person: ${list}. ${instruction}; a message in free text approves nothing.`,
    { run: id, interrupts: open.map((one) => one.id) },
  );
}

export function createNoTurnError(id: string): PostelError {
  return createSessionError("invalid_request", `The session \`${id}\` has no turn that could be taken back.`);
}

function createSessionError(code: FailureCode, message: string, details?: JsonObject): PostelError {
  return new PostelError(createFailure(code, message, details));
}
