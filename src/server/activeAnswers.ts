// Waits until a server has no active answers.
import type { Server } from "node:http";

export interface ActiveAnswers {
  /** Resolves when no answer is active, or after `ms` milliseconds. */
  finish(ms: number): Promise<void>;
}

/**
 * Counts the active answers of a server from now on. A set of them would retain a tenth of the finished ones until the next
 * full collection (decisions/0100).
 */
export function countActiveAnswers(server: Server): ActiveAnswers {
  let open = 0;
  let onEmpty: (() => void) | undefined;
  const onClose = () => {
    open -= 1;
    if (open === 0) onEmpty?.();
  };
  server.on("request", (_request, response) => {
    open += 1;
    response.once("close", onClose);
  });
  return {
    finish: (ms) =>
      new Promise((resolve) => {
        if (open === 0) return resolve();
        const timer = setTimeout(resolve, ms);
        onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
