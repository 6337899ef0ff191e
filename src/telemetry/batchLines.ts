// Writes the lines of one turn of the event loop together, since each write costs a system call.
import { runOnNextTick } from "../core/async/yieldToEventLoop.ts";

/** Lines that may wait for the end of the event-loop turn. */
const MAY_WAIT = /^\{"level":"(?:info|debug)"/;

/** Writes the first line of an event-loop turn at once. Later lines follow at the end of the turn, before a warning, or at process exit. */
export function batchLines(output: NodeJS.WritableStream): { readonly write: (line: string) => void } {
  let hasStarted = false;
  let waiting = "";
  const write = (): void => {
    if (waiting !== "") output.write(waiting);
    waiting = "";
  };
  process.once("exit", write);
  return {
    write: (line) => {
      waiting += line;
      if (hasStarted && MAY_WAIT.test(line)) return;
      write();
      if (hasStarted) return;
      hasStarted = true;
      runOnNextTick(() => {
        hasStarted = false;
        write();
      });
    },
  };
}
