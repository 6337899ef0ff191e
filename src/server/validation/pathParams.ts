// Validates the ids and query parameters of a request before they are used for a lookup.
import type { Request } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";

/** Run ids as `RequestContext.ts` creates them. */
const RUN_ID = /^[A-Za-z0-9_-]{1,160}$/;
/** Interrupt ids as `Ids.callId` creates them. */
const CALL_ID = /^[A-Za-z0-9]{9}$/;
/** Must not begin with a dot: such names have a special meaning elsewhere. */
export const SESSION_ID = /^(?!\.)[A-Za-z0-9_.:-]{1,128}$/;
export const SESSION_ID_WORDS = "must be 1–128 letters, digits or any of `_-.:`, and not begin with a dot";

/** @throws PostelError `invalid_request`. */
export function readRunId(request: Request): string {
  return readId(request.params.id, "id", RUN_ID);
}

/** @throws PostelError `invalid_request`. */
export function readSessionId(request: Request): string {
  return readId(request.params.id, "id", SESSION_ID);
}

/** @throws PostelError `invalid_request`. */
export function readMemoryId(request: Request): string {
  return readId(request.params.id, "id", RUN_ID);
}

/** @throws PostelError `invalid_request`. */
export function readInterruptId(request: Request): string {
  return readId(request.params.interrupt, "interrupt", CALL_ID);
}

/** Returns true if the text has the form of an interrupt id. */
export function mayBeInterrupt(id: string): boolean {
  return CALL_ID.test(id);
}

/**
 * @throws PostelError `invalid_request` for an unknown query parameter, because ignoring a filter would return the wrong
 * list.
 */
export function refuseOtherQuery(request: Request, known: readonly string[]): void {
  const other = Object.keys(request.query).find((name) => name !== "owner" && !known.includes(name));
  if (other !== undefined)
    throwInvalid(other.slice(0, 100), `is not known here; there is ${["owner", ...known].join(", ")}`);
}

export interface PageRequest {
  readonly maxPage: number;
  readonly before?: number | undefined;
}

const USUAL_PAGE = 20;
const LARGEST_PAGE = 100;

/** `limit` and `before`, of lists with the youngest first. @throws PostelError `invalid_request`. */
export function readPageRequest(request: Request, further: readonly string[] = []): PageRequest {
  refuseOtherQuery(request, ["limit", "before", ...further]);
  const pageSize = readNumber(request, "limit") ?? USUAL_PAGE;
  if (pageSize < 1 || pageSize > LARGEST_PAGE) throwInvalid("limit", `must be a number from 1 to ${LARGEST_PAGE}`);
  return { maxPage: pageSize, before: readNumber(request, "before") };
}

/** Reads an integer from the query. @throws PostelError `invalid_request`. */
function readNumber(request: Request, name: string): number | undefined {
  const headerValue = request.query[name];
  if (headerValue === undefined) return undefined;
  if (typeof headerValue === "string" && /^\d{1,15}$/.test(headerValue)) return Number(headerValue);
  return throwInvalid(name, "must be a whole number");
}

/** A session's id of the query. @throws PostelError `invalid_request`. */
export function readSessionQuery(request: Request): string | undefined {
  const { session } = request.query;
  return session === undefined ? undefined : readId(session, "session", SESSION_ID);
}

function readId(raw: unknown, param: string, grammar: RegExp): string {
  if (typeof raw === "string" && grammar.test(raw)) return raw;
  return throwInvalid(param, "is no id that the gateway gives or takes");
}

function throwInvalid(param: string, problem: string): never {
  throw new PostelError(createFailure("invalid_request", `\`${param}\` is refused: it ${problem}.`, { param }));
}
