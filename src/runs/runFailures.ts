// What is said where a run or an interrupt cannot be had. Knows no store.

import { askingCall } from "../agents/interruptOf.ts";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { Interrupt } from "../core/interrupts.ts";
import type { JsonObject } from "../core/messages.ts";
import type { OwnedKey } from "../core/stores.ts";

/** Another owner's run is one that never was. */
export function unknownRun({ id }: OwnedKey): PostelError {
  return new PostelError(failure("run_not_found", `There is no run ${JSON.stringify(id)}.`));
}

export function runOver({ id }: OwnedKey): PostelError {
  return new PostelError(failure("run_over", `The run ${id} is over; GET /v1/agent/runs/${id} tells how it ended.`));
}

export function runTaken({ id }: OwnedKey): PostelError {
  const message = `The run ${id} goes on just now; GET /v1/agent/runs/${id}/events tells what comes of it.`;
  return new PostelError(failure("run_taken", message));
}

export function unknownInterrupt(id: string): PostelError {
  return new PostelError(failure("interrupt_not_found", `There is no interrupt ${JSON.stringify(id)}.`));
}

export function expiredInterrupt(id: string): PostelError {
  return new PostelError(
    failure("interrupt_expired", `The time to decide on ${id} is over; no decision counts any more.`),
  );
}

export function decidedInterrupt(id: string, how: "decided" | "cancelled"): PostelError {
  const message =
    how === "decided"
      ? `${id} has been decided already; the first decision counts.`
      : `The run of ${id} is over, and nothing of it can be decided any more.`;
  return new PostelError(failure("interrupt_decided", message));
}

export function conflictingDecisions(id: string): PostelError {
  const message = `The request decides differently about ${id} twice, so none of its decisions counts; send one for each call.`;
  return new PostelError(failure("decision_conflict", message, { param: "messages" }));
}

/** @param renewed what is asked now: `details.interrupts` shows it as the client's call does. */
export function planChanged({ code, message, details }: Failure, renewed: readonly Interrupt[]): PostelError {
  if (renewed.length === 0) return new PostelError(failure(code, message, details));
  const interrupts = renewed.map(
    (one): JsonObject => ({ id: one.id, ...(JSON.parse(askingCall(one).arguments) as JsonObject) }),
  );
  const now = renewed.map(({ id, question, plan }) => `${id}: ${question}\nIts plan is ${plan?.hash}.`).join("\n");
  const text = `${message} Nothing ran, and it waits with the plan that would run now; decide about that. ${now}`;
  return new PostelError(failure(code, text, { ...details, interrupts }));
}
