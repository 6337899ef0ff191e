// Wraps a runner and removes secrets from its failures. Other events pass unchanged.

import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent } from "../core/events/events.ts";
import { redactJson } from "../core/json/redactJson.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Redact } from "../core/ports.ts";
import type { AgentRunner } from "./AgentRunner.ts";

export type RunnerApi = "complete" | "run" | "plan" | "proceed" | "decisionFault" | "renewedInterrupt";

/** Redacts every failure of a turn before a client or a terminal reads it. */
export function redactFailures(runner: Pick<AgentRunner, RunnerApi>, redact: Redact): Pick<AgentRunner, RunnerApi> {
  return {
    plan: (request, signal) => runner.plan(request, signal),
    decisionFault: (state, interrupt, decision) => runner.decisionFault(state, interrupt, decision),
    renewedInterrupt: (state, interrupt) => runner.renewedInterrupt(state, interrupt),
    proceed: (state, continuation, signal, onEvents) =>
      runner.proceed(state, continuation, signal, redactEvents(onEvents, redact)),
    complete: (request, signal, onEvents) => runner.complete(request, signal, redactEvents(onEvents, redact)),
    run: (request, signal, onEvents) => runner.run(request, signal, redactEvents(onEvents, redact)),
  };
}

function redactEvents<Event extends RunEvent>(onEvents: EventSink<Event>, redact: Redact): EventSink<Event> {
  return (events) => onEvents(events.some(isFailure) ? events.map((event) => redacted(event, redact)) : events);
}

function isFailure({ type }: RunEvent): boolean {
  return type === "turn-failed";
}

function redacted<Event extends RunEvent>(event: Event, redact: Redact): Event {
  if (event.type !== "turn-failed") return event;
  const { message, details, ...failure } = event.failure;
  // Redacting an object returns an object.
  const redactedDetails = details && { details: redactJson(details, redact) as JsonObject };
  return { ...event, failure: { ...failure, message: redact(message), ...redactedDetails } };
}
