// The logger: one JSON line an event. Knows pino; refuses to know what is logged.
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import type { Redact } from "../core/ports.ts";
import { escapeControls } from "./escapeControls.ts";

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  readonly redact: Redact;
  /** Where lines go; the process's standard error if absent, since standard output belongs to the commands. */
  readonly destination?: DestinationStream | undefined;
}

/** Every line passes through `redact` as a whole, and holds no raw control character: a log viewer shows what was written. */
export function createLogger({ level, redact, destination = pino.destination(2) }: LoggerOptions): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelName } };
  return pino(options, { write: (line) => destination.write(redact(escapeControls(line))) });
}

function levelName(level: string): { level: string } {
  return { level };
}
