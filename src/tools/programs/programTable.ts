// The table of programs: what each of them does by its words.
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

/** The row of a program by the name that it goes by; `python3.12` is `python`, `mkfs.ext4` is `mkfs`. */
export function findRow(program: string): ProgramRow | undefined {
  return ROWS.get(program) ?? ROWS.get(program.replace(/(?<=..)[-.]?\d[\d.]*$|(?<=^mkfs)\.\w+$/, ""));
}

/** The row of a module that python runs. */
export function findModule(module: string): ProgramRow | undefined {
  return MODULES.get(module.toLowerCase()) ?? findRow(module.toLowerCase());
}

/** Verbs take options in the style of their program. */
function verbsByName({ verbs = {}, style }: ProgramRow): ReadonlyMap<string, ProgramRow> {
  const own = rowsByName(verbs);
  return style === "single-dash" ? new Map([...own].map(([name, row]) => [name, { style, ...row }])) : own;
}

/** The row of one of a row's verbs. */
export function findVerb(row: ProgramRow, verb: string): ProgramRow | undefined {
  const verbs = VERBS.get(row) ?? verbsByName(row);
  VERBS.set(row, verbs);
  return verbs.get(verb);
}

/** The name that a program goes by, wherever it stands and however it is written. */
export function normalizeProgram(word: string): string {
  return (word.trim().toLowerCase().split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/, "");
}
