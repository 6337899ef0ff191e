// The logger: one JSON line an event. Knows pino; refuses to know what is logged.
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import type { Redact } from "../core/ports.ts";

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

/** DEL, the C1 controls, line separators and bidirectional overrides: JSON lets them through, terminals and readers obey them. */
const HIDDEN = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The characters below U+0020 are escaped by JSON itself; the line's own end stays. */
function escapeControls(line: string): string {
  return line.replaceAll(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
