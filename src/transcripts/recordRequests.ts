// Writes down what callers ask, beside the exchanges that come of it. Passes every observation on; knows no HTTP and no run.
import type { JsonObject } from "../core/messages.ts";
import type { AskedRequest, Observer, Redact } from "../core/ports.ts";
import { redactJson } from "../core/redactJson.ts";

export interface RequestSink {
  /** Takes a run's request before its first exchange, secrets already gone. Must not throw and is not waited for. */
  begin(run: string, request: AskedRequest): void;
}

/** `inner`, whose `asked` observations are written down too. */
export function recordRequests(
  inner: Observer,
  options: { readonly sink: RequestSink; readonly redact: Redact },
): Observer {
  const { sink, redact } = options;
  return {
    observe(observation) {
      inner.observe(observation);
      if (observation.type !== "asked") return;
      const { run, request } = observation;
      // A redacted object is an object.
      sink.begin(run, { ...request, body: redactJson(request.body, redact) as JsonObject });
    },
  };
}
