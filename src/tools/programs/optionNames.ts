// Indexes the option names of a program's entry for the argument parser.

import { type Names, type ProgramRow, splitNames } from "./ProgramRow.ts";
import type { KnownOptions } from "./parseArgv.ts";

class OptionNames implements KnownOptions {
  readonly known: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly style: ProgramRow["style"];
  readonly stopsAtOperand: boolean;
  readonly last: ReadonlySet<string>;
  readonly #longs: readonly string[];

  constructor(row: ProgramRow) {
    const {
      values,
      open,
      code,
      chooses,
      writes,
      sends,
      sql,
      flags,
      input,
      scriptless,
      printsWith,
      edits,
      rules = [],
    } = row;
    const valued = [
      values,
      open,
      code,
      chooses,
      writes,
      sends,
      sql,
      ...rules.map(({ options, value }) => value && options),
    ];
    this.valued = new Set(valued.flatMap(splitNames));
    const bare = [
      flags,
      input,
      scriptless,
      printsWith,
      edits,
      ...rules.flatMap(({ options, unless }) => [options, unless]),
    ];
    this.known = new Set([...this.valued, ...bare.flatMap(splitNames)]);
    this.style = row.style;
    this.last = new Set(row.modules ? ["m", "c"] : []);
    this.stopsAtOperand = row.stopsAtOperand === true || row.starts !== undefined || row.runsScript === true;
    this.#longs = [...this.known].filter((name) => name.length > 1);
  }

  longNames(name: string): readonly string[] {
    if (this.known.has(name)) return [name];
    return name === "" ? [] : this.#longs.filter((long) => long.startsWith(name));
  }
}

const MADE = new WeakMap<ProgramRow, KnownOptions>();

/** The option names of an entry, built once. */
export function collectOptionNames(row: ProgramRow): KnownOptions {
  const made = MADE.get(row) ?? new OptionNames(row);
  MADE.set(row, made);
  return made;
}

const SETS = new Map<Names, ReadonlySet<string>>();

/** The names as a set, made once. Only for names of the table. */
export function nameSet(names: Names): ReadonlySet<string> {
  const made = SETS.get(names) ?? new Set(splitNames(names));
  SETS.set(names, made);
  return made;
}
