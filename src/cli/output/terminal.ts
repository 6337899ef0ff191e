// How the commands write: the one place. Knows no command.
import { escapeControls } from "../../telemetry/escapeControls.ts";

export type Output = Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean | undefined };

/** Columns of a terminal that does not say how many it has. */
const USUAL_COLUMNS = 80;

export function getColumns({ columns }: { readonly columns?: number | undefined }): number {
  return columns ?? USUAL_COLUMNS;
}

/** True where a cursor can be moved: on a terminal, unless its user says that it is a dumb one. */
export function canMoveCursor({ isTTY }: Pick<Output, "isTTY">): boolean {
  return isTTY === true && process.env.TERM !== "dumb";
}

/** A text of whatever lines as a terminal may be given it: what would steer it, or turn the direction of writing, as escapes. Of JSON these are JSON's own. */
export function sanitizeForTerminal(text: string): string {
  return escapeControls(text.replaceAll("\r\n", "\n"));
}

/** The same in one line, whose width is that of its characters: the ends of lines and tabs are escapes too. */
export function sanitizeLine(text: string): string {
  return escapeControls(text.replaceAll(/\r?\n/g, "\\n").replaceAll("\t", "\\t"));
}

/** Data: what a model wrote, an answer, a report. A pipe or a file gets it as it is; a terminal gets it as `shownText`. */
export function writeText(text: string, output: Output = process.stdout): void {
  output.write(output.isTTY ? sanitizeForTerminal(text) : text);
}

/** A line about what happens, on standard error, where a person or a log reads it: always in one line, never a control. */
export function writeNote(line: string, output: Output = process.stderr): void {
  output.write(`${sanitizeLine(line)}\n`);
}

/** An error that may have several lines, such as the faults of a configuration. */
export function writeError(message: string, output: Output = process.stderr): void {
  output.write(`${sanitizeForTerminal(message)}\n`);
}

/** What a shell has for a program whose reader has left: 128 and the number of `SIGPIPE`. */
export const EXIT_SIGPIPE = 141;

/**
 * A reader who leaves (`postel … | head`) is no fault: the command ends, and says nothing of it. One that has to end in order hears the
 * `error` of standard output as well, and is left to it. Notes that nobody reads are not missed.
 */
export function endWithReader(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error) => {
    if (!isBrokenPipe(error)) {
      writeError(`Standard output cannot be written: ${error.message}.`);
      process.exit(1);
    }
    if (process.stdout.listenerCount("error") === 1) process.exit(EXIT_SIGPIPE);
  });
}

/** Whether it is what whoever waits for standard output is told when its reader leaves: a pipe's, or a terminal that is closed. */
export function isBrokenPipe(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "EPIPE" || (code === "EIO" && process.stdout.isTTY);
}
