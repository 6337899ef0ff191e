// Redacts an exchange before it is written: headers, query parameters and body.
import { runCooperatively, runToCompletion } from "../../core/async/yieldToEventLoop.ts";
import type { Egress, Redact } from "../../core/ports.ts";
import type { RecordedChunk, RecordedExchange } from "../format/Transcript.ts";
import { redactBody } from "./redactBody.ts";
import { StepRedactor, type Steps } from "./redactInSlices.ts";

/** Removes all possible secrets: unlisted headers, credentials and suspicious parameters of the URL, and those that `redact` finds. */
export async function redactExchange(exchange: RecordedExchange, redact: Redact): Promise<RecordedExchange> {
  return await runCooperatively(redactInSteps(exchange, redact));
}

function* redactInSteps(exchange: RecordedExchange, redact: Redact): Steps<RecordedExchange> {
  const { body, response, end } = exchange;
  return {
    ...exchange,
    url: redactUrl(exchange.url, redact),
    headers: keepHeaders(exchange.headers, redact),
    ...(body !== undefined && { body: yield* new StepRedactor(redact).value(body) }),
    ...(response && {
      response: {
        ...response,
        headers: {
          ...keepHeaders(response.headers, redact),
          ...redactLocation(response.headers, exchange.url, redact),
        },
      },
    }),
    chunks: yield* redactChunks(exchange.chunks, redact),
    end: end.failure ? { ...end, failure: { ...end.failure, message: redact(end.failure.message) } } : end,
  };
}

/** Egress of a replay: redacts each request before the comparison, since the recorded one is redacted. */
export function redactSent(inner: Egress, redact: Redact): Egress {
  return {
    send(request, signal) {
      const body = request.body === undefined ? undefined : runToCompletion(redactBody(request.body, redact));
      return inner.send({ ...request, url: redactUrl(request.url, redact), body }, signal);
    },
  };
}

/** Returns a URL without credentials and with suspicious parameters replaced. A replay compares it, too. */
export function redactUrl(text: string, redact: Redact = (identity) => identity): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  for (const name of new Set(url.searchParams.keys())) {
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, "redacted");
  }
  // As a replay will write it, where the value comes from a recording that was redacted.
  return redact(url.href).replaceAll(REPLACED, encodeURIComponent);
}

const REPLACED = /\[redacted\]/g;

/** An allow-list, because a header that nobody thought of must not be written. */
const KEPT_HEADERS: ReadonlySet<string> = new Set(["content-type", "accept", "retry-after", "retry-after-ms"]);
const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|credential|session|code/i;

function keepHeaders(headers: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  const keptEntries = Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(keptEntries.map(([name, value]) => [name.toLowerCase(), redact(value)]));
}

/** Redacts the redirect target like the URL of the next request, so that a replay follows it. */
function redactLocation(
  { location }: Readonly<Record<string, string>>,
  from: string,
  redact: Redact,
): { readonly location?: string } {
  const url = location === undefined ? null : URL.parse(location, from);
  return url ? { location: redactUrl(url.href, redact) } : {};
}

/** A secret may be cut by a chunk border, so the joined text decides; where it holds one, the borders are given up. */
function* redactChunks(chunks: readonly RecordedChunk[], redact: Redact): Steps<readonly RecordedChunk[]> {
  const [first] = chunks;
  if (!first) return chunks;
  const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8");
  const redacted = yield* redactBody(text, redact);
  return redacted === text ? chunks : [{ ms: first.ms, bytes: Buffer.from(redacted, "utf8") }];
}
