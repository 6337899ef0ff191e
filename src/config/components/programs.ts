// Resolves folders and programs of this machine, and the environment of a program. Starts nothing.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import type { Environment } from "../load/interpolateEnvironment.ts";

/** The parts of the machine that the configuration checks use. */
export interface Machine {
  /** Folder of the configuration file. */
  readonly folder: string;
  readonly env: Environment;
}

/** Search path for programs if `PATH` is not set. */
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The absolute folders of the gateway's `PATH`. */
export function getSearchPath({ PATH = USUAL_PATH }: Environment): string {
  return PATH.split(delimiter).filter(isAbsolute).join(delimiter);
}

/** An existing folder, absolute and without links. */
export function resolveFolder(folder: string, raw: string): string | undefined {
  try {
    const found = realpathSync(resolve(folder, raw));
    return statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The absolute path of a program, without resolving links: some programs depend on the name of the link. @param cwd absolute
 * working folder; the program must be outside of it, because programs that run there may write there.
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
    const inPath = `a program that is in PATH, as \`${name}\` is not: install it, or write its absolute path`;
    return { fault: `expected ${name.includes("/") ? "a program at this path" : inPath}` };
  }
  if ([file, realpathSync(file)].some((one) => one.startsWith(cwd === "/" ? cwd : `${cwd}/`)))
    return { fault: "expected a program outside of `cwd`, where a call could write another in its place" };
  return { file };
}

/** Schema of a program's environment: names that are passed on, or names with values. @param value schema of a value. */
export function createVariablesField<Value extends z.ZodType<string>>(value: Value, expectation: string) {
  const error = "expected a variable's name: letters, digits and `_`";
  const name = z.string({ error }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error });
  return z.union([z.array(name), z.record(name, value)], {
    error: `expected the names of variables that are passed on, or names with values, in which placeholders of ${expectation} have a meaning`,
  });
}

/** Resolves the written environment; an unset name is not passed on. */
export function resolveEnvironment(
  raw: readonly string[] | Readonly<Record<string, string>>,
  env: Environment,
  transform: (value: string) => string = (value) => value,
): Readonly<Record<string, string>> {
  if (!isNames(raw)) return raw;
  const set = raw.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, transform(value)] as const];
  });
  return Object.fromEntries(set);
}

function isNames(raw: readonly string[] | Readonly<Record<string, string>>): raw is readonly string[] {
  return Array.isArray(raw);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
