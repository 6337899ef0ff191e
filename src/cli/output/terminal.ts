// Output functions of all commands.
import { escapeControls } from "../../telemetry/escapeControls.ts";

export type Output = Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean | undefined };

/** Columns of a terminal that does not say how many it has. */
const USUAL_COLUMNS = 80;

export function getColumns({ columns }: { readonly columns?: number | undefined }): number {
  return columns ?? USUAL_COLUMNS;
}

/** Returns true if the cursor can be moved: on a terminal, unless `TERM` is `dumb`. */
export function canMoveCursor({ isTTY }: Pick<Output, "isTTY">): boolean {
  return isTTY === true && process.env.TERM !== "dumb";
}

/**
 * Multi-line text that is safe for a terminal: control and direction characters become escapes. In JSON these are JSON's own
 * escapes.
 */
export function sanitizeForTerminal(text: string): string {
  return escapeControls(text.replaceAll("\r\n", "\n"));
}

/** Same on one line, whose width is that of its characters: line breaks and tabs become escapes too. */
export function sanitizeLine(text: string): string {
  return escapeControls(text.replaceAll(/\r?\n/g, "\\n").replaceAll("\t", "\\t"));
}

/**
 * Writes data: a model's text, an answer, a report. A pipe or file receives it unchanged; a terminal receives it as
 * `sanitizeForTerminal` returns it.
 */
export function writeText(text: string, output: Output = process.stdout): void {
  output.write(output.isTTY ? sanitizeForTerminal(text) : text);
}

/** Writes a note to standard error, for a user or a log: always one line, without control characters. */
export function writeNote(line: string, output: Output = process.stderr): void {
  output.write(`${sanitizeLine(line)}\n`);
}

/** An error that may have several lines, such as the faults of a configuration. */
export function writeError(message: string, output: Output = process.stderr): void {
  output.write(`${sanitizeForTerminal(message)}\n`);
}

/** Exit status of a program whose output pipe was closed: 128 plus the number of `SIGPIPE`. */
export const EXIT_SIGPIPE = 141;

/**
 * A closed output pipe (`postel … | head`) is no fault: the command ends silently. A command that needs an orderly end
 * handles the `error` of standard output itself. A closed standard error is ignored.
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

/** Returns true if the error means that standard output is closed: a pipe, or a closed terminal. */
export function isBrokenPipe(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "EPIPE" || (code === "EIO" && process.stdout.isTTY);
}
