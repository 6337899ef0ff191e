// Default store of the terminal's commands, so that users can resume sessions and runs. Opens no store.
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { writeNote } from "../output/terminal.ts";
import { type StoreFlags, storeFile } from "./loadFlags.ts";

/**
 * The configuration with the store of `--store`, else its own, else the user's default store. For the default store the
 * folder is created and a note names it. @throws PostelError `store_unavailable` if the folder cannot be created.
 */
export function withTerminalStore(config: Config, flags: StoreFlags): Config {
  const file = storeFile(config, flags);
  if (file !== undefined) return { ...config, store: { ...config.store, file } };
  const userStore = usersStore();
  makeFolder(dirname(userStore));
  writeNote(`· sessions are kept in ${userStore}; --store names another file`);
  return { ...config, store: { ...config.store, file: userStore } };
}

/** The file that a command looks into: of `--store`, else of the configuration, else of this user. It need not be there. */
export function resolveStoreFile(config: Pick<Config, "store">, flags: StoreFlags): string {
  return storeFile(config, flags) ?? usersStore();
}

/** Default store file of the terminal's commands. */
function usersStore(): string {
  const { XDG_STATE_HOME: stateHome = "" } = process.env;
  // One that is relative is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/.
  const folder = isAbsolute(stateHome) ? stateHome : join(homedir(), ".local", "state");
  return join(folder, "postel", "postel.db");
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PostelError(
      createFailure(
        "store_unavailable",
        `The folder for sessions, ${folder}, cannot be made: ${reason}. Name a file with --store.`,
      ),
    );
  }
}
