// A runner whose failures hold no secret. Changes no other event: what a model answers is its own.
import type { RunEvent } from "../core/events.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Redact } from "../core/ports.ts";
import { redactJson } from "../core/redactJson.ts";
import type { AgentRunner } from "./AgentRunner.ts";

/** Every way in which a turn can fail ends here, before a client or a terminal reads it. */
export function redactFailures(
  runner: Pick<AgentRunner, "complete" | "run">,
  redact: Redact,
): Pick<AgentRunner, "complete" | "run"> {
  return {
    complete: (request, signal) => redacted(runner.complete(request, signal), redact),
    run: (request, signal) => redacted(runner.run(request, signal), redact),
  };
}

async function* redacted<Event extends RunEvent>(
  events: AsyncIterable<Event>,
  redact: Redact,
): AsyncGenerator<Event, void, undefined> {
  for await (const event of events) {
    if (event.type !== "turn-failed") {
      yield event;
      continue;
    }
    const { message, details, ...failure } = event.failure;
    // A redacted object is an object.
    const shown = details && { details: redactJson(details, redact) as JsonObject };
    yield { ...event, failure: { ...failure, message: redact(message), ...shown } };
  }
}
