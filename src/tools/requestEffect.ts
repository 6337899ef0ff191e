// A request that a call would send, rendered for its approver. Sends nothing.
import type { EgressRequest, Redact } from "../core/ports.ts";
import { escapeMisleading } from "../core/unseen.ts";
import type { CallEffect } from "./Tool.ts";

/** Characters of a body that an approver is shown beside the arguments; a longer one is told by its length. */
const SHOWN_BODY = 1_000;

/** Headers that differ from request to request, or that the gateway writes by itself: an approval is not for them. */
const NOT_PLANNED =
  /^(?:accept|content-type|user-agent|idempotency-key|traceparent|tracestate|baggage|b3|(?:x-)?(?:request|correlation|trace)-id|x-b3-.+|x-cloud-trace-context|x-amzn-trace-id|x-datadog-.+|sentry-trace|uber-trace-id)$/;

export function requestEffect({ method, url, headers, body }: EgressRequest, redact: Redact): CallEffect {
  const names = Object.keys(headers)
    .filter((name) => !NOT_PLANNED.test(name))
    .toSorted();
  const address = redact(url);
  // A boundary is drawn for each request.
  const type = (headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  const lines = [`send this request? ${method} ${address}`];
  if (names.length > 0) lines.push(`headers: ${names.join(", ")}`);
  if (body !== undefined) lines.push(shownText(redact(body)));
  const content = body === undefined ? null : { type, body: redact(body) };
  return { question: lines.join("\n"), deed: { method, url: address, headers: names, content } };
}

function shownText(text: string): string {
  const much = text.length > SHOWN_BODY ? `… (${text.length} characters)` : "";
  return `${escapeMisleading(text.slice(0, SHOWN_BODY).toWellFormed())}${much}`;
}
