// Runs the user's editor on a text, in the terminal of the gateway.
import { spawn } from "node:child_process";
import { createFailure, PostelError } from "../core/failures.ts";

/**
 * Resolves when the editor has exited successfully.
 * @param words the program and its arguments, as in `$EDITOR`. The user's own setting, started without a shell.
 * @throws PostelError `invalid_request` if it cannot be started or ends otherwise.
 */
export async function runEditor(words: readonly string[]): Promise<void> {
  const [program = "", ...rest] = words;
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  const editor = spawn(program, rest, { stdio: "inherit" });
  editor.once("error", ({ message }) => resolve(`could not be started (${message})`));
  editor.once("close", (status, signal) => resolve(status === 0 ? undefined : `ended with ${signal ?? status}`));
  const fault = await ended;
  if (fault === undefined) return;
  throw new PostelError(
    createFailure("invalid_request", `The editor \`${program}\` ${fault}; $EDITOR says which one is used.`),
  );
}
