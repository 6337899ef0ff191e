// A request that a call would send, rendered for its approver. Sends nothing.
import type { ServiceAction } from "../../core/config/componentActions.ts";
import type { RedirectOrigin } from "../../core/http/redirectOrigins.ts";
import { escapeMisleading } from "../../core/json/escapeInvisible.ts";
import type { EgressRequest } from "../../core/ports.ts";
import type { CallEffect, EffectRedact } from "../Tool.ts";

/** Characters of a body that an approver is shown in addition to the arguments; of a longer one only the length is shown. */
const SHOWN_BODY = 1_000;

/** Headers that vary between requests, or that the gateway adds itself; a plan does not include them. */
const NOT_PLANNED =
  /^(?:accept|content-type|user-agent|idempotency-key|traceparent|tracestate|baggage|b3|(?:x-)?(?:request|correlation|trace)-id|x-b3-.+|x-cloud-trace-context|x-amzn-trace-id|x-datadog-.+|sentry-trace|uber-trace-id|newrelic|x-newrelic-.+|x-ot-span-context|ot-tracer-.+|elastic-apm-traceparent|x-instana-.+|x-(?:span|parent-span|transaction|client-request|client-trace)-id)$/;

/** Query and form parameters whose name marks a key, and `key=` if its value looks like one. */
const KEY_PARAMETER =
  /((?:^|[?&])(?:(?:(?:api|app|subscription)[_-]?key|(?:access|auth|api)?[_-]?token|(?:client[_-]?)?secret|password)=|key=(?=[\w-]{16})))[^&#]*/gi;

export function describeRequestEffect(
  { method, url, headers, body }: EgressRequest,
  { redirects = 0, redirectOrigins = [] }: Pick<ServiceAction, "redirects" | "redirectOrigins">,
  redact: EffectRedact,
): CallEffect {
  const names = Object.keys(headers)
    .filter((name) => !NOT_PLANNED.test(name))
    .toSorted();
  const address = withoutKeys(url);
  // A boundary is drawn for each request.
  const type = (headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  const content = body === undefined ? undefined : type === FORM ? withoutKeys(body) : body;
  const lines = [`send this request? ${method} ${redact.shown(address)}`];
  if (names.length > 0) lines.push(`headers: ${names.join(", ")}`);
  if (content !== undefined) lines.push(shownText(redact.shown(content)));
  const origins = redirectOrigins.map(writtenOrigin);
  if (origins.length > 0) lines.push(`redirects also to: ${origins.join(", ")}`);
  return {
    question: lines.join("\n"),
    deed: {
      ...{ method, url: redact.planned(address), headers: names },
      content: content === undefined ? null : { type, body: redact.planned(content) },
      ...(redirects > 0 && { redirects: origins }),
    },
  };
}

const FORM = "application/x-www-form-urlencoded";

function withoutKeys(text: string): string {
  return text.replace(KEY_PARAMETER, "$1[redacted]");
}

function writtenOrigin({ protocol = "", host, port }: RedirectOrigin): string {
  return `${protocol === "" ? "" : `${protocol}//`}${host}${port === "" ? "" : `:${port}`}`;
}

function shownText(text: string): string {
  const much = text.length > SHOWN_BODY ? `… (${text.length} characters)` : "";
  return `${escapeMisleading(text.slice(0, SHOWN_BODY).toWellFormed())}${much}`;
}
