// Whatever was thrown on the way to an answer → one failure → one error reply. Knows no route and no wire.
import type { ServerResponse } from "node:http";
import type { ErrorRequestHandler } from "express";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { Observer, Redact } from "../core/ports.ts";
import { exchangeOf } from "./Exchange.ts";
import { failureHead } from "./failureHead.ts";
import { atRoundEnd } from "./roundEnd.ts";
import type { FailureWire, PartialAnswer } from "./wires/Wire.ts";

export interface Witnesses {
  readonly observer: Observer;
  readonly redact: Redact;
}

/** The last handler of a route or of the app. */
export function errorHandler(witnesses: Witnesses, wire: FailureWire): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => answerFault(error, response, witnesses, wire);
}

/** What nobody foresaw is told to the operator in full and to the caller in general. */
export function answerFault(
  error: unknown,
  response: ServerResponse,
  { observer, redact }: Witnesses,
  wire: FailureWire,
): Promise<void> {
  const { run, id } = exchangeOf(response);
  const known = asFailure(error);
  observer.observe({ type: "failure", run, failure: known ?? failure("internal_error", describe(error)) });
  return sendFailure(
    response,
    (known && { ...known, message: redact(known.message) }) ??
      failure("internal_error", `The gateway failed unexpectedly; its log has the cause under the request id ${id}.`),
    { wire },
  );
}

/** Answers with the failure's status, or breaks the connection off where a status has already left. */
export async function sendFailure(
  response: ServerResponse,
  cause: Failure,
  { wire, partial }: { readonly wire: FailureWire; readonly partial?: PartialAnswer | undefined },
): Promise<void> {
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    // What was written last leaves before, and an answer that ended in this round is whole.
    atRoundEnd(() => void (response.writableEnded || response.destroy()));
    return;
  }
  const { status, headers } = failureHead(cause);
  response.statusCode = status;
  const { paced } = exchangeOf(response);
  for (const [name, value] of Object.entries(headers)) paced.setHeader(name, value);
  await paced.json(wire.failureBody(cause, partial));
}

/** Errors of the body reader bear a `type`; the rest of Express's own have a 4xx `status`. */
function asFailure(error: unknown): Failure | undefined {
  if (error instanceof PostelError) return error.failure;
  if (!(error instanceof Error)) return undefined;
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown };
  if (type === "entity.too.large")
    return failure("request_too_large", `The body is larger than ${String(limit)} bytes (\`server.max_body_bytes\`).`);
  if (type === "encoding.unsupported" || type === "charset.unsupported") {
    return failure("unsupported_media_type", `The body cannot be decoded: ${error.message}.`);
  }
  if (type === "request.aborted") return failure("cancelled", "The client left before its body was whole.");
  if (typeof status === "number" && status >= 400 && status < 500) {
    return failure("invalid_request", `The request cannot be read: ${error.message}.`);
  }
  return undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
