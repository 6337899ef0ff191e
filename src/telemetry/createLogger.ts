// Creates the logger: one JSON line for each event, through pino.
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import { redactJson } from "../core/json/redactJson.ts";
import type { JsonValue } from "../core/messages.ts";
import type { Redact } from "../core/ports.ts";
import { escapeControls } from "./escapeControls.ts";

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  readonly redact: Redact;
  /** Destination of the lines. Absent: standard error, since standard output belongs to the commands. */
  readonly destination?: DestinationStream | undefined;
}

/** Redacts every text of a line before it becomes JSON. A line contains no raw control character, so a log viewer shows the text as it is. */
export function createLogger({ level, redact, destination = pino.destination(2) }: LoggerOptions): Logger {
  const options = { level, base: null, timestamp: isoTime(), formatters: { level: levelName } };
  return pino(options, { write: (line) => destination.write(clean(line, redact)) });
}

/** Printable ASCII without escapes: every text stands in its line as it is, between quotes, and no secret can hide from the redactor. */
const BARE = /^[ -[\]-~]*\n$/;

function clean(line: string, redact: Redact): string {
  if (BARE.test(line) && redact(line) === line) return line;
  const redacted = redactJson(JSON.parse(line) as JsonValue, redact);
  return `${escapeControls(JSON.stringify(redacted))}\n`;
}

function levelName(level: string): { level: string } {
  return { level };
}

/** Pino's own time format. All but its milliseconds are formatted once a second. */
function isoTime(): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const now = Date.now();
    const ms = now % 1_000;
    if (now - ms !== second) {
      second = now - ms;
      text = `,"time":"${new Date(second).toISOString().slice(0, -"000Z".length)}`;
    }
    return `${text}${String(ms).padStart(3, "0")}Z"`;
  };
}
