// The shape of one entry of the table of programs.
import type { Risk } from "../risk/Risk.ts";
import type { Arguments } from "./readArguments.ts";

/** Names of options or verbs, parted by spaces. One letter is `-x`, a longer name is `--name`. */
export type Names = string;

/** Judges the arguments of one program where data cannot say it. */
export type ArgumentRule = (args: Arguments, program: string) => Risk | undefined;

/** A rule without `options` and `operand` holds for every call of the program. */
export interface ProgramRule {
  readonly rule: Risk["rule"];
  /** Follows the program's name in a sentence for the approver. */
  readonly why: string;
  /** Holds where one of these options is given. */
  readonly options?: Names | undefined;
  /** Holds only where one of `options` has a value like this. */
  readonly value?: RegExp | undefined;
  /** Holds only where an operand is like this. */
  readonly operand?: RegExp | undefined;
  /** The only operand that `operand` is compared with, counted from 0. */
  readonly at?: number | undefined;
  /** Does not hold where one of these options is given. */
  readonly unless?: Names | undefined;
}

/**
 * Why no text of a call may stand anywhere among the words of a program of a shell component: it runs code, starts programs, carries out
 * orders, fetches packages, reaches other machines, runs with other rights, or controls containers or a cluster.
 */
export type Closed = "code" | "starts" | "orders" | "fetches" | "leaves" | "rights" | "controls";

export interface ProgramRow {
  /** Options that take a value, which is data. */
  readonly values?: Names | undefined;
  /** Long options without a value that are not the short form of another one. */
  readonly flags?: Names | undefined;
  /** Options whose value is code, a program, or a file of either. */
  readonly code?: Names | undefined;
  /** Options whose value selects what runs: no danger by itself, but not for a call to choose. */
  readonly chooses?: Names | undefined;
  /** Options whose value names a file or folder that is written. */
  readonly writes?: Names | undefined;
  /** Options by which a program that otherwise only reads changes the files that it reads. */
  readonly edits?: Names | undefined;
  /** Options whose value names a file that is sent to another machine. */
  readonly sends?: Names | undefined;
  /** Options whose value is SQL. */
  readonly sql?: Names | undefined;
  /** The first operand, counted from 0, that is SQL. */
  readonly sqlFrom?: number | undefined;
  /** `single-dash`: `-name` is a long option. `bundled`: the first word may hold letters of options without a dash. */
  readonly style?: "single-dash" | "bundled" | undefined;
  /** True where options end at the first operand. */
  readonly stopsAtOperand?: true | undefined;
  /** Operands that name files that are written, moved or removed: all behind a script, the first, or the last of several. With `edits`, only where one of those is given. */
  readonly written?: "all" | "first" | "last" | undefined;
  /** Options with which it prints its result and writes none of its operands. */
  readonly printsWith?: Names | undefined;
  readonly rules?: readonly ProgramRule[] | undefined;
  readonly judge?: ArgumentRule | undefined;
  /** Rows of its verbs; a key may name several. */
  readonly verbs?: Readonly<Record<Names, ProgramRow>> | undefined;
  /** True where the verb may stand behind the names of groups: the first operand that is a verb of the row counts. */
  readonly deep?: true | undefined;
  /** True where it only looks up, prints or searches; or the verbs that do. */
  readonly reads?: true | Names | undefined;
  /** The words behind so many operands are another command. */
  readonly starts?: number | undefined;
  /** So many of the first operands are code, or name it, where no `code` option brings it. */
  readonly script?: number | undefined;
  /** True where the words behind the script are the script's own. */
  readonly runsScript?: true | undefined;
  /** True where the option `m` names a module, which may be a program of the table. */
  readonly modules?: true | undefined;
  /** Options by which it reads code from its standard input, whatever else it is given. */
  readonly input?: Names | undefined;
  /** Options by which it needs no script. */
  readonly scriptless?: Names | undefined;
  readonly closed?: Closed | undefined;
  /** Options whose value a call may give to a closed program, behind a verb that only reads. */
  readonly open?: Names | undefined;
  /** True where the name is also a common word: behind an unknown program it is taken for one. */
  readonly word?: true | undefined;
}

/** Rows by the names of the programs that they hold for, parted by spaces. */
export type ProgramTable = Readonly<Record<Names, ProgramRow>>;

export function splitNames(names: Names | undefined): readonly string[] {
  return names === undefined ? [] : names.split(/\s+/).filter((name) => name !== "");
}
