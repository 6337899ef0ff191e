// Turns a response that was closed early into an AbortSignal. Knows nothing of what it stops.
import type { ServerResponse } from "node:http";
import { failure, PostelError } from "../core/failures.ts";

/** All who work for one answer stop together, so it has one. */
const signals = new WeakMap<ServerResponse, AbortSignal>();

/**
 * Aborts when the client leaves before the answer is whole, streamed or not: the same for whoever asks. It follows the response and not the request,
 * because a request "closes" as soon as its body has been read.
 */
export function clientSignal(response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const controller = new AbortController();
  signals.set(response, controller.signal);
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
