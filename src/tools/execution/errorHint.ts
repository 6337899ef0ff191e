// Advises a model after a failed call, by the kind of failure.
import { type FailureCode, PostelError } from "../../core/failures.ts";

/** Exception for a service that answered with an error status. */
export class StatusError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Exception for a tool that took too long. */
export class ToolTimeoutError extends Error {}

/** Text of an error for a model: its message and advice. */
export function describeError(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)) || "the tool failed without saying why.";
  const hint = errorHint(error);
  return hint === undefined ? message : `${message}\n${hint}`;
}

/** A sentence that follows the error's message; undefined if the message says everything. */
function errorHint(error: unknown): string | undefined {
  if (error instanceof StatusError) return byStatus(error.status);
  if (error instanceof ToolTimeoutError) return HINTS.late;
  if (error instanceof PostelError) return BY_FAILURE[error.failure.code];
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? BY_SYSTEM[code] : undefined;
}

const HINTS = {
  missing: "Check the id or the path; where there is a tool that lists what is there, call that first.",
  denied: "The gateway may not do this. The same again will not help; say so in the answer.",
  often: "The service was asked too often. Do what is left without it, or ask it less.",
  late: "Ask for less at once: a narrower question, or a smaller part.",
  unreachable: "The service cannot be reached. The same again will hardly help; say so in the answer.",
  arguments: "Check each argument against the tool's description.",
} as const;

const BY_STATUS: Readonly<Record<number, string>> = {
  400: HINTS.arguments,
  401: HINTS.denied,
  403: HINTS.denied,
  404: HINTS.missing,
  408: HINTS.late,
  410: HINTS.missing,
  422: HINTS.arguments,
  429: HINTS.often,
  504: HINTS.late,
};

function byStatus(status: number): string | undefined {
  return BY_STATUS[status];
}

const BY_FAILURE: Readonly<Partial<Record<FailureCode, string>>> = {
  upstream_timeout: HINTS.late,
  upstream_unavailable: HINTS.unreachable,
  upstream_overloaded: HINTS.often,
  upstream_rate_limited: HINTS.often,
};

/** Hints by Node's system error codes. */
const BY_SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: HINTS.missing,
  ENOTDIR: HINTS.missing,
  EACCES: HINTS.denied,
  EPERM: HINTS.denied,
  ETIMEDOUT: HINTS.late,
  ECONNREFUSED: HINTS.unreachable,
  ECONNRESET: HINTS.unreachable,
  ENOTFOUND: HINTS.unreachable,
};
