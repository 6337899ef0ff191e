// Errors for runs and interrupts that are not available.

import { toInterruptCall } from "../agents/approvals/createInterrupt.ts";
import { createFailure, type Failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Interrupt } from "../core/runs/interrupts.ts";
import type { OwnerKey } from "../core/stores/OwnerKey.ts";

/** A run of another owner is reported as unknown. */
export function createUnknownRunError({ id }: OwnerKey): PostelError {
  return new PostelError(createFailure("run_not_found", `There is no run ${JSON.stringify(id)}.`));
}

export function runOver({ id }: OwnerKey): PostelError {
  return new PostelError(
    createFailure("run_over", `The run ${id} is over; GET /v1/agent/runs/${id} tells how it ended.`),
  );
}

export function runTaken({ id }: OwnerKey): PostelError {
  const message = `The run ${id} is running; GET /v1/agent/runs/${id}/events returns its events.`;
  return new PostelError(createFailure("run_taken", message));
}

export function createUnknownInterruptError(id: string): PostelError {
  return new PostelError(createFailure("interrupt_not_found", `There is no interrupt ${JSON.stringify(id)}.`));
}

export function createExpiredInterruptError(id: string): PostelError {
  return new PostelError(
    createFailure("interrupt_expired", `The time to decide on ${id} is over; no decision counts any more.`),
  );
}

export function createDecidedInterruptError(id: string, state: "decided" | "cancelled"): PostelError {
  const message =
    state === "decided"
      ? `${id} has been decided already; the first decision counts.`
      : `The run of ${id} has ended, so its interrupts can no longer be decided.`;
  return new PostelError(createFailure("interrupt_decided", message));
}

export function createConflictingDecisionsError(id: string): PostelError {
  const message = `The request decides differently about ${id} twice, so none of its decisions counts; send one for each call.`;
  return new PostelError(createFailure("decision_conflict", message, { param: "messages" }));
}

/** @param renewedInterrupts current interrupts; `details.interrupts` shows them in the form of the client's call. */
export function planChanged({ code, message, details }: Failure, renewedInterrupts: readonly Interrupt[]): PostelError {
  if (renewedInterrupts.length === 0) return new PostelError(createFailure(code, message, details));
  const interrupts = renewedInterrupts.map(
    (one): JsonObject => ({ id: one.id, ...(JSON.parse(toInterruptCall(one).arguments) as JsonObject) }),
  );
  const now = renewedInterrupts
    .map(({ id, question, plan }) => `${id}: ${question}\nIts plan is ${plan?.hash}.`)
    .join("\n");
  const text = `${message} Nothing ran, and it waits with the plan that would run now; decide about that. ${now}`;
  return new PostelError(createFailure(code, text, { ...details, interrupts }));
}
