// Converts any exception of a request to one failure and sends it as the error answer.
import type { ServerResponse } from "node:http";
import type { ErrorRequestHandler } from "express";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { Observer, Redact } from "../../core/ports.ts";
import type { ErrorFormat, PartialAnswer } from "../apis/FrontApi.ts";
import { scheduleWrite } from "../fastpath/writeBatch.ts";
import { buildFailureHead } from "./failureStatus.ts";
import { getRequestContext } from "./RequestContext.ts";

export interface ErrorReporting {
  readonly observer: Observer;
  readonly redact: Redact;
}

/** The last handler of a route or of the app. */
export function createErrorHandler(witnesses: ErrorReporting, wire: ErrorFormat): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => sendError(error, response, witnesses, wire);
}

/** An unexpected error is logged in full for the operator; the client receives a general message. */
export function sendError(
  error: unknown,
  response: ServerResponse,
  { observer, redact }: ErrorReporting,
  wire: ErrorFormat,
): Promise<void> {
  const { run, id } = getRequestContext(response);
  const known = asFailure(error);
  observer.observe({ type: "failure", run, failure: known ?? createFailure("internal_error", describe(error)) });
  return sendFailure(
    response,
    (known && { ...known, message: redact(known.message) }) ??
      createFailure(
        "internal_error",
        `The gateway failed unexpectedly; its log has the cause under the request id ${id}.`,
      ),
    { wire },
  );
}

/** Answers with the failure's status, or closes the connection if a status was already sent. */
export async function sendFailure(
  response: ServerResponse,
  cause: Failure,
  { wire, partial }: { readonly wire: ErrorFormat; readonly partial?: PartialAnswer | undefined },
): Promise<void> {
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    // Pending writes of this tick are flushed first, and an answer that ended in this tick is complete.
    scheduleWrite(() => void (response.writableEnded || response.destroy()));
    return;
  }
  const { status, headers } = buildFailureHead(cause);
  response.statusCode = status;
  const { paced } = getRequestContext(response);
  for (const [name, value] of Object.entries(headers)) paced.setHeader(name, value);
  await paced.json(wire.failureBody(cause, partial));
}

/** Errors of the body parser have a `type`; other Express errors have a 4xx `status`. */
function asFailure(error: unknown): Failure | undefined {
  if (error instanceof PostelError) return error.failure;
  if (!(error instanceof Error)) return undefined;
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown };
  if (type === "entity.too.large")
    return createFailure(
      "request_too_large",
      `The body is larger than ${String(limit)} bytes (\`server.max_body_bytes\`).`,
    );
  if (type === "encoding.unsupported" || type === "charset.unsupported") {
    return createFailure("unsupported_media_type", `The body cannot be decoded: ${error.message}.`);
  }
  if (type === "request.aborted") return createFailure("cancelled", "The client left before its body was whole.");
  if (typeof status === "number" && status >= 400 && status < 500) {
    return createFailure("invalid_request", `The request cannot be read: ${error.message}.`);
  }
  return undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
