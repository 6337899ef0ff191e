// What a caller's key allows: whether a route is open to it. Knows no route and no key.
import type { RequestHandler, Response } from "express";
import { failure, PostelError } from "../core/failures.ts";
import type { Caller, Right } from "../core/requests.ts";
import { callerOf } from "./callerGate.ts";

/** For whoever asks how things stand: any key may. */
export const ANY_RIGHT: readonly Right[] = ["ask", "decide", "admin"];

/** Lets those callers through who have one of the rights. */
export function requireRight(rights: readonly Right[]): RequestHandler {
  return (_request, response, next) => {
    const caller = admitted(response);
    if (!rights.some((right) => caller.can.includes(right))) refuse(caller, rights);
    next();
  };
}

/** Whoever was let in. */
function admitted(response: Response): Caller {
  const caller = callerOf(response);
  if (!caller) throw new TypeError("A request came this far that nobody has let in.");
  return caller;
}

function refuse({ can }: Caller, rights: readonly Right[]): never {
  const needed = rights.map((right) => `\`${right}\``).join(" or ");
  const message = `This key may not do that: it takes the right ${needed}, and the key has ${can.join(", ")} (\`can\` in \`server.api_keys\`).`;
  throw new PostelError(failure("not_permitted", message));
}
