// Converts errors of undici to failures. They name the origin only: paths, queries and the text of an error may contain secrets.
import { errors } from "undici";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isDecodingError } from "./decodeContent.ts";

/** An exchange of which not even the headers came. */
export function createDialFailure(error: unknown, origin: string, headersMs: number): PostelError {
  if (error instanceof PostelError) return error;
  if (error instanceof errors.ConnectTimeoutError) {
    const message = `${origin} did not accept a connection in time. Is the server running and reachable?`;
    return new PostelError(createFailure("upstream_timeout", message, { phase: "connect" }), { cause: error });
  }
  if (error instanceof errors.HeadersTimeoutError) {
    const message = `${origin} accepted the request but sent no response headers within ${headersMs} ms.`;
    return new PostelError(createFailure("upstream_timeout", message, { phase: "headers" }), { cause: error });
  }
  const reason = getErrorText(error, "code") ?? "network error";
  if (isNoHttp(error)) return noHttp(error, origin);
  if (CERTIFICATE.test(reason)) {
    const message = `${origin} could not be trusted (${reason}). Is its certificate valid, and its address right?`;
    return new PostelError(
      createFailure("upstream_unavailable", message, {
        reason,
        phase: "certificate",
      }),
      {
        cause: error,
      },
    );
  }
  const unconnected = CONNECTING.has(getErrorText(error, "syscall") ?? "");
  const message = `${origin} could not be reached (${reason}). Is the server running, and is its address right?`;
  const details = { reason, ...(unconnected && { phase: "connect" }) };
  return new PostelError(createFailure("upstream_unavailable", message, details), {
    cause: error,
  });
}

/** Creates the failure of a response with headers and without a byte of its body. */
export function toConnectionFailure(error: unknown, origin: string): PostelError {
  if (isDecodingError(error)) return createDecodingFailure(error, origin);
  if (isNoHttp(error)) return noHttp(error, origin);
  const message = `${origin} closed the connection before the first byte of its answer.`;
  return new PostelError(createFailure("upstream_unavailable", message), {
    cause: error,
  });
}

export function createDecodingFailure(error: unknown, origin: string): PostelError {
  const message = `${origin} sent bytes that are not in the coding that its content-encoding names.`;
  return new PostelError(createFailure("upstream_protocol_error", message), {
    cause: error,
  });
}

/** Returns true if undici could not parse the response: invalid HTTP, headers over 16 KiB, or a wrong content length. */
function isNoHttp(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

function noHttp(error: unknown, origin: string): PostelError {
  const message = `${origin} sent a response that is no HTTP, or has headers without end.`;
  return new PostelError(createFailure("upstream_protocol_error", message), {
    cause: error,
  });
}

/** Node's codes for a certificate that is not believed, and for a port on which no TLS is spoken. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** System calls before anything of a request could be sent. */
const CONNECTING = new Set(["connect", "getaddrinfo", "queryA", "queryAaaa"]);

/** A host with several addresses fails with one error an address; the first stands for all. */
function getErrorText(error: unknown, field: "code" | "syscall"): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value = field in error ? (error as { readonly [name: string]: unknown })[field] : undefined;
  if (typeof value === "string") return value;
  return "errors" in error && Array.isArray(error.errors) ? getErrorText(error.errors[0], field) : undefined;
}
