// The shape of one entry of the table of programs.
import type { Risk } from "../risk/Risk.ts";
import type { Arguments } from "./parseArgv.ts";

/** Names of options or verbs, parted by spaces. One letter is `-x`, a longer name is `--name`. */
export type Names = string;

/** Assesses the arguments of one program that the table cannot describe. */
export type ArgumentRule = (args: Arguments, program: string) => Risk | undefined;

/** A rule without `options` and `operand` applies to every call of the program. */
export interface ProgramRule {
  readonly rule: Risk["rule"];
  /** Follows the program's name in a sentence for the approver. */
  readonly why: string;
  /** Applies if one of these options is given. */
  readonly options?: Names | undefined;
  /** Applies only if one of `options` has a matching value. */
  readonly value?: RegExp | undefined;
  /** Applies only if an operand matches. */
  readonly operand?: RegExp | undefined;
  /** The only operand that `operand` is compared with, counted from 0. */
  readonly at?: number | undefined;
  /** Does not apply if one of these options is given. */
  readonly unless?: Names | undefined;
}

/**
 * Reason why no text of a call may be among the arguments of a program: it runs code, starts programs, executes commands,
 * downloads packages, reaches other machines, runs with other privileges, or controls containers or a cluster.
 */
export type Closed = "code" | "starts" | "orders" | "fetches" | "leaves" | "rights" | "controls";

export interface ProgramRow {
  /** Options that take a value, which is data. */
  readonly values?: Names | undefined;
  /** Long options without a value that are not the short form of another one. */
  readonly flags?: Names | undefined;
  /** Options whose value is code, a program, or a file of either. */
  readonly code?: Names | undefined;
  /** Options whose value selects what runs: no risk by itself, but a call must not choose it. */
  readonly chooses?: Names | undefined;
  /** Options whose value names a file or folder that is written. */
  readonly writes?: Names | undefined;
  /** Options by which a reading program changes the files that it reads. */
  readonly edits?: Names | undefined;
  /** Options whose value names a file that is sent to another machine. */
  readonly sends?: Names | undefined;
  /** Options whose value is SQL. */
  readonly sql?: Names | undefined;
  /** The first operand, counted from 0, that is SQL. */
  readonly sqlFrom?: number | undefined;
  /** `single-dash`: `-name` is a long option. `bundled`: the first word may contain option letters without a dash. */
  readonly style?: "single-dash" | "bundled" | undefined;
  /** True where options end at the first operand. */
  readonly stopsAtOperand?: true | undefined;
  /**
   * Operands that name files which are written, moved or removed: all after a script, the first, or the last of several. With
   * `edits`, only if one of those options is given.
   */
  readonly written?: "all" | "first" | "last" | undefined;
  /** Options with which it prints its result and writes none of its operands. */
  readonly printsWith?: Names | undefined;
  readonly rules?: readonly ProgramRule[] | undefined;
  readonly judge?: ArgumentRule | undefined;
  /** Entries of its verbs; a key may name several. */
  readonly verbs?: Readonly<Record<Names, ProgramRow>> | undefined;
  /** True if the verb may follow the names of groups: the first operand that is a verb counts. */
  readonly deep?: true | undefined;
  /** True if it only looks up, prints or searches; or the verbs that do. */
  readonly reads?: true | Names | undefined;
  /** Number of operands after which another command follows. */
  readonly starts?: number | undefined;
  /** Number of leading operands that are code, or name it, unless a `code` option supplies it. */
  readonly script?: number | undefined;
  /** True if the arguments after the script belong to the script. */
  readonly runsScript?: true | undefined;
  /** True if the option `m` names a module, which may be a program of the table. */
  readonly modules?: true | undefined;
  /** Options by which it reads code from its standard input, whatever else is given. */
  readonly input?: Names | undefined;
  /** Options with which it needs no script. */
  readonly scriptless?: Names | undefined;
  readonly closed?: Closed | undefined;
  /** Options whose value a call may choose for a closed program, after a read-only verb. */
  readonly open?: Names | undefined;
  /** True if the name is also a common word: after an unknown program it counts as a plain word. */
  readonly word?: true | undefined;
}

/** Entries by program names, separated by spaces. */
export type ProgramTable = Readonly<Record<Names, ProgramRow>>;

export function splitNames(names: Names | undefined): readonly string[] {
  return names === undefined ? [] : names.split(/\s+/).filter((name) => name !== "");
}
