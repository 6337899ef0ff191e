// Records the requests of callers next to the exchanges that they cause.
import { runCooperatively } from "../../core/async/yieldToEventLoop.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Observer, ReceivedRequest, Redact } from "../../core/ports.ts";
import { StepRedactor } from "../redaction/redactInSlices.ts";

export interface RequestSink {
  /** Takes a run's request before its first exchange; `redacted` gives it without secrets and is to be asked once. Must not throw and is not waited for. */
  begin(run: string, redacted: () => Promise<ReceivedRequest>): void;
}

/** Writes down each `request-received` observation. */
export function recordRequests({ sink, redact }: { readonly sink: RequestSink; readonly redact: Redact }): Observer {
  return {
    observe(observation) {
      if (observation.type !== "request-received") return;
      const { run, request } = observation;
      sink.begin(run, async () => {
        const body = await runCooperatively(new StepRedactor(redact).value(request.body));
        // A redacted object is an object.
        return { ...request, body: body as JsonObject };
      });
    },
  };
}
