// Folders and programs on this machine, as a configuration names them. Starts nothing.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./interpolateEnvironment.ts";

/** What of the machine a configuration is read against. */
export interface Machine {
  /** The file's. */
  readonly folder: string;
  readonly env: Environment;
}

/** Where programs are looked for without a `PATH`. */
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The folders of the gateway's `PATH` that are the same from wherever they are looked at. */
export function pathOf({ PATH = USUAL_PATH }: Environment): string {
  return PATH.split(delimiter).filter(isAbsolute).join(delimiter);
}

/** An existing folder, absolute and without links. */
export function folderAt(folder: string, written: string): string | undefined {
  try {
    const found = realpathSync(resolve(folder, written));
    return statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The file of a program, absolute, as its links name it: some programs go by the link that they are called by.
 * @param cwd absolute: where it is to run, and where it must not lie, for what runs there may write there.
 */
export function findProgram(
  name: string,
  cwd: string,
  path: string,
): { readonly file: string } | { readonly fault: string } {
  const candidates = name.includes("/")
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => join(folder, name));
  const file = candidates.find(isProgram);
  if (file === undefined) {
    const where = name.includes("/") ? "a program at this path" : "a program that is in PATH";
    return { fault: `expected ${where}` };
  }
  if ([file, realpathSync(file)].some((one) => one.startsWith(cwd === "/" ? cwd : `${cwd}/`)))
    return { fault: "expected a program outside of `cwd`, where a call could write another in its place" };
  return { file };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
