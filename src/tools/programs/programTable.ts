// The table of programs, by name.
import { CLOUDS } from "./clouds.ts";
import { CONTAINERS } from "./containers.ts";
import { DATABASES } from "./databases.ts";
import { FILES } from "./files.ts";
import { INTERPRETERS, PYTHON_MODULES } from "./interpreters.ts";
import { LOOKUPS } from "./lookups.ts";
import { NETWORK } from "./network.ts";
import { type ProgramRow, type ProgramTable, splitNames } from "./ProgramRow.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import { SYSTEM } from "./system.ts";
import { SYSTEM_PACKAGES } from "./systemPackages.ts";
import { VERSION_CONTROL } from "./versionControl.ts";
import { WRAPPER_PROGRAMS } from "./wrappers.ts";

const ROWS = rowsByName({
  ...LOOKUPS,
  ...FILES,
  ...INTERPRETERS,
  ...WRAPPER_PROGRAMS,
  ...VERSION_CONTROL,
  ...CONTAINERS,
  ...CLOUDS,
  ...NETWORK,
  ...PACKAGE_PROGRAMS,
  ...SYSTEM_PACKAGES,
  ...SYSTEM,
  ...DATABASES,
});
const MODULES = rowsByName(PYTHON_MODULES);

function rowsByName(table: ProgramTable): ReadonlyMap<string, ProgramRow> {
  return new Map(
    Object.entries(table).flatMap(([names, row]) => splitNames(names).map((name) => [name, row] as const)),
  );
}

const VERBS = new WeakMap<ProgramRow, ReadonlyMap<string, ProgramRow>>();

/** The entry of a program by its name; `python3.12` is `python`, `mkfs.ext4` is `mkfs`. */
export function findRow(program: string): ProgramRow | undefined {
  return ROWS.get(program) ?? ROWS.get(program.replace(/(?<=..)[-.]?\d[\d.]*$|(?<=^mkfs)\.\w+$/, ""));
}

/** The entry of a Python module that runs as a program. */
export function findModule(module: string): ProgramRow | undefined {
  return MODULES.get(module.toLowerCase()) ?? findRow(module.toLowerCase());
}

/** Verbs use the option style of their program. */
function verbsByName({ verbs = {}, style }: ProgramRow): ReadonlyMap<string, ProgramRow> {
  const own = rowsByName(verbs);
  return style === "single-dash" ? new Map([...own].map(([name, row]) => [name, { style, ...row }])) : own;
}

/** The entry of a verb of a program. */
export function findVerb(row: ProgramRow, verb: string): ProgramRow | undefined {
  const verbs = VERBS.get(row) ?? verbsByName(row);
  VERBS.set(row, verbs);
  return verbs.get(verb);
}

/** The name of a program, without folder, extension and case. */
export function normalizeProgram(word: string): string {
  return (word.trim().toLowerCase().split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/, "");
}
