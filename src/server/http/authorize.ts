// Authorizes callers: the rights that a route needs, and the owner whose data is requested.
import type { ServerResponse } from "node:http";
import type { Request } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Caller, Right } from "../../core/requests.ts";
import { getRequestContext } from "./RequestContext.ts";

/** Rights of status routes: any key has one of them. */
export const ANY_RIGHT: readonly Right[] = ["ask", "decide", "admin"];

/** Accepts callers who have one of the rights. @throws PostelError `not_permitted`. */
export function requireRight(rights: readonly Right[], caller: Caller): void {
  for (const right of rights) if (caller.can.includes(right)) return;
  throwInvalid(caller, rights);
}

/** @throws PostelError `not_permitted` if the caller lacks the right. */
export function refuseWithout(right: Right, caller: Caller): void {
  if (!caller.can.includes(right)) throwInvalid(caller, [right]);
}

/**
 * The owner whose data is requested: the caller, or the owner named by `?owner=`. @throws PostelError `not_permitted` if it
 * names another owner and the caller is no admin.
 */
export function resolveOwner(request: Request, response: ServerResponse): string {
  const caller = getCaller(response);
  const { owner } = request.query;
  if (owner === undefined || owner === caller.name) return caller.name;
  if (typeof owner !== "string" || !OWNER.test(owner)) {
    const message = "`owner` is refused: it must be the name of a caller.";
    throw new PostelError(createFailure("invalid_request", message, { param: "owner" }));
  }
  if (!caller.can.includes("admin")) {
    const message = "`owner` names somebody else, whose things only a key that `can: [admin]` may ask for.";
    throw new PostelError(createFailure("not_permitted", message, { param: "owner" }));
  }
  return owner;
}

/** The authenticated caller of a request. */
export function getCaller(response: ServerResponse): Caller {
  const { caller } = getRequestContext(response);
  if (!caller) throw new TypeError("A request came this far that nobody has let in.");
  return caller;
}

/** The name of a caller, as the configuration has it. */
const OWNER = /^[A-Za-z0-9_-]{1,64}$/;

function throwInvalid({ can }: Caller, rights: readonly Right[]): never {
  const needed = rights.map((right) => `\`${right}\``).join(" or ");
  const message = `This key may not do that: it takes the right ${needed}, and the key has ${can.join(", ")} (\`can\` in \`server.api_keys\`).`;
  throw new PostelError(createFailure("not_permitted", message));
}
