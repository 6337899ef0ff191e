// Selects the log form: text for a terminal, JSON lines for a program.
import type { WriteStream } from "node:tty";
import type { Observer, Redact } from "../core/ports.ts";
import { batchLines } from "./batchLines.ts";
import { createLogger } from "./createLogger.ts";
import { LogObserver } from "./LogObserver.ts";
import { TerminalObserver } from "./TerminalObserver.ts";

/** Writes text lines if the output is a terminal, else JSON lines. */
export function createObserver(
  output: Pick<WriteStream, "isTTY"> & NodeJS.WritableStream,
  { redact, now }: { readonly redact: Redact; readonly now: () => number },
): Observer {
  if (output.isTTY) return new TerminalObserver({ output, redact, now });
  return new LogObserver(createLogger({ level: "info", redact, destination: batchLines(output) }));
}
