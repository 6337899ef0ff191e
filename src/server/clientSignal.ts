// Turns a response that was closed early into an AbortSignal. Knows nothing of what it stops.
import type { ServerResponse } from "node:http";
import { failure, PostelError } from "../core/failures.ts";

/**
 * Aborts when the client leaves before the answer is whole, streamed or not. It follows the response and not the request,
 * because a request "closes" as soon as its body has been read.
 */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const leave = () => {
    if (response.writableFinished) return;
    controller.abort(
      new PostelError(failure("cancelled", "The client closed the connection before the answer was whole.")),
    );
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return controller.signal;
}
