// The ids and the query of a request, held to their grammars before anything is looked up by them. Knows no store.
import type { Request } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";

/** As `Exchange.ts` makes those of runs. */
const RUN_ID = /^[A-Za-z0-9_-]{1,160}$/;
/** As `Ids.callId` draws those of interrupts. */
const CALL_ID = /^[A-Za-z0-9]{9}$/;
/** Never a dot first: a name that begins with one means something else elsewhere. */
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

/** Whether an interrupt may have this id. */
export function mayBeInterrupt(id: string): boolean {
  return CALL_ID.test(id);
}

/** @throws PostelError `invalid_request` for what the route does not read: nobody's list is sorted or filtered by a guess. */
export function refuseOtherQuery(request: Request, known: readonly string[]): void {
  const other = Object.keys(request.query).find((name) => name !== "owner" && !known.includes(name));
  if (other !== undefined) refuse(other.slice(0, 100), `is not known here; there is ${["owner", ...known].join(", ")}`);
}

export interface PageRequest {
  readonly most: number;
  readonly before?: number | undefined;
}

const USUAL_PAGE = 20;
const LARGEST_PAGE = 100;

/** `limit` and `before`, of lists with the youngest first. @throws PostelError `invalid_request`. */
export function readPageRequest(request: Request, further: readonly string[] = []): PageRequest {
  refuseOtherQuery(request, ["limit", "before", ...further]);
  const most = readNumber(request, "limit") ?? USUAL_PAGE;
  if (most < 1 || most > LARGEST_PAGE) refuse("limit", `must be a number from 1 to ${LARGEST_PAGE}`);
  return { most, before: readNumber(request, "before") };
}

/** A whole number of the query. @throws PostelError `invalid_request`. */
function readNumber(request: Request, name: string): number | undefined {
  const said = request.query[name];
  if (said === undefined) return undefined;
  if (typeof said === "string" && /^\d{1,15}$/.test(said)) return Number(said);
  return refuse(name, "must be a whole number");
}

/** A session's id of the query. @throws PostelError `invalid_request`. */
export function readSessionQuery(request: Request): string | undefined {
  const { session } = request.query;
  return session === undefined ? undefined : readId(session, "session", SESSION_ID);
}

function readId(said: unknown, param: string, grammar: RegExp): string {
  if (typeof said === "string" && grammar.test(said)) return said;
  return refuse(param, "is no id that the gateway gives or takes");
}

function refuse(param: string, what: string): never {
  throw new PostelError(createFailure("invalid_request", `\`${param}\` is refused: it ${what}.`, { param }));
}
