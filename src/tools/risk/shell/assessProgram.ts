// Assesses one program by its entry in the table: what its arguments make it destroy, reveal, run or send.
import { collectOptionNames, nameSet } from "../../programs/optionNames.ts";
import type { ProgramRow, ProgramRule } from "../../programs/ProgramRow.ts";
import { type Arguments, findOptions, hasOption, type Operand, parseArgv } from "../../programs/parseArgv.ts";
import { isElsewhere, SYSTEM_PLACE } from "../../programs/places.ts";
import { findModule, findVerb } from "../../programs/programTable.ts";
import { findWritten } from "../../programs/writtenOperands.ts";
import type { Risk } from "../Risk.ts";
import type { StatementAssessor } from "../sql/StatementAssessor.ts";

export interface Program {
  /** The name for the approver, with the verbs that were assessed. */
  readonly name: string;
  readonly row: ProgramRow;
  readonly words: readonly string[];
  /** Shared by all programs of one call. */
  readonly sql: StatementAssessor;
}

/** The risk of a program with known arguments; undefined if no rule of its entry applies. */
export function judgeProgram(program: Program): Risk | undefined {
  const { row, words } = program;
  if (words.length === 1 && /^--?(?:help|version|usage)$|^-V$/.test(words[0] ?? "")) return undefined;
  const names = collectOptionNames(row);
  const args = parseArgv(words, names);
  const found = judgeArguments(program, ownArguments(row, args)) ?? judgeVerb(program, args);
  if (found || !row.verbs || !args.guessed) return found;
  // An unknown option may take the next word, so the verb may come later.
  return judgeVerb(program, parseArgv(words, names, { unknownTakesNext: true }));
}

/** Options after a verb belong to the verb. */
function ownArguments(row: ProgramRow, args: Arguments): Arguments {
  const verb = row.deep ? undefined : getVerb(row, args.operands);
  return verb ? { ...args, options: args.options.filter(({ at }) => at < verb.operand.at) } : args;
}

function judgeArguments({ name, row, sql }: Program, args: Arguments): Risk | undefined {
  const rule = row.rules?.find((one) => holds(one, args));
  if (rule) return { rule: rule.rule, reason: `\`${name}\` ${rule.why}` };
  return (
    judgeOptions(name, row, args) ??
    judgeWritten(name, row, args) ??
    judgeScript(name, row, args) ??
    judgeSql(row, args, sql) ??
    row.judge?.(args, name) ??
    judgeModule(row, args, sql)
  );
}

function holds({ options, value, operand, at, unless }: ProgramRule, args: Arguments): boolean {
  if (unless !== undefined && hasOption(args, nameSet(unless))) return false;
  if (options !== undefined) {
    const given = findOptions(args, nameSet(options));
    if (!given.some((one) => value === undefined || value.test(one.value ?? ""))) return false;
  }
  if (operand === undefined) return true;
  const operands = at === undefined ? args.operands : args.operands.slice(at, at + 1);
  return operands.some(({ word }) => operand.test(word));
}

/** Options that name an output file in every program. */
const OUTPUTS = new Set(["output", "out", "outfile", "output-file", "output-dir", "log-file", "logfile"]);

function judgeOptions(name: string, row: ProgramRow, args: Arguments): Risk | undefined {
  const { code = "", writes = "", sends = "" } = row;
  if (hasOption(args, nameSet(code))) return { rule: "code", reason: `\`${name}\` runs what its own words say` };
  if (hasOption(args, nameSet(sends)))
    return { rule: "network", reason: `\`${name}\` sends a file to another machine` };
  const written = findOptions(args, nameSet(writes)).map(({ value = "" }) => value);
  if (written.some((value) => /^\s*[|!]/.test(value)))
    return { rule: "code", reason: `\`${name}\` starts a program for what it writes` };
  const others = findOptions(args, OUTPUTS).map(({ value = "" }) => value);
  if (!written.some(isElsewhere) && !others.some((value) => SYSTEM_PLACE.test(value))) return undefined;
  return row.closed === "leaves"
    ? { rule: "network", reason: `\`${name}\` writes what the network says beyond its own folder` }
    : { rule: "delete", reason: `\`${name}\` writes beyond its own folder` };
}

function judgeWritten(name: string, row: ProgramRow, args: Arguments): Risk | undefined {
  const targets = findWritten(row, args).map(({ word }) => word);
  if (targets.some((word) => word.startsWith("/dev/") && SYSTEM_PLACE.test(word)))
    return { rule: "disk", reason: `\`${name}\` is given a device` };
  return targets.some((word) => SYSTEM_PLACE.test(word))
    ? { rule: "delete", reason: `\`${name}\` writes over files of the system` }
    : undefined;
}

/** An interpreter without a script runs its input. */
function judgeScript(name: string, row: ProgramRow, args: Arguments): Risk | undefined {
  if (!row.runsScript || hasOption(args, nameSet(row.scriptless ?? ""))) return undefined;
  const [script] = args.operands;
  return script === undefined || script.word === "-"
    ? { rule: "code", reason: `\`${name}\` runs whatever it reads` }
    : undefined;
}

function judgeSql({ sql = "", sqlFrom }: ProgramRow, args: Arguments, assessor: StatementAssessor): Risk | undefined {
  const values = findOptions(args, nameSet(sql)).map(({ value = "" }) => value);
  const operands = sqlFrom === undefined ? [] : args.operands.slice(sqlFrom).map(({ word }) => word);
  for (const text of [...values, ...operands]) {
    // Orders of the client itself are no statements.
    const danger = /^\s*[\\.:]/.test(text) ? undefined : assessor.assess(text);
    if (danger) return danger;
  }
  return undefined;
}

function judgeModule({ modules }: ProgramRow, args: Arguments, sql: StatementAssessor): Risk | undefined {
  const [given] = modules ? findOptions(args, nameSet("m")) : [];
  const row = given?.value === undefined ? undefined : findModule(given.value);
  if (!given || !row) return undefined;
  return judgeProgram({ name: `-m ${given.value}`, row, words: args.words.slice(given.at + 1), sql });
}

function judgeVerb({ name, row, words, sql }: Program, { operands }: Arguments): Risk | undefined {
  const found = getVerb(row, operands);
  if (!found) return undefined;
  const { word, at } = found.operand;
  return judgeProgram({ name: `${name} ${word}`, row: found.row, words: words.slice(at + 1), sql });
}

/** The verb among the operands, with its entry: the first operand, or the first verb after the names of groups. */
export function getVerb(
  row: ProgramRow,
  operands: readonly Operand[],
): { readonly row: ProgramRow; readonly operand: Operand } | undefined {
  if (!row.verbs) return undefined;
  for (const operand of row.deep ? operands : operands.slice(0, 1)) {
    const verb = findVerb(row, operand.word);
    if (verb) return { row: verb, operand };
  }
  return undefined;
}

/** Returns true if the program, with these arguments, only looks up, prints or searches. Does not assess risk. */
export function isReadOnly({ row, words }: Pick<Program, "row" | "words">): boolean {
  if (words.length === 1 && /^--?(?:help|version)$|^-V$/.test(words[0] ?? "")) return true;
  const args = parseArgv(words, collectOptionNames(row));
  const { writes = "", edits = "" } = row;
  if (hasOption(args, nameSet(`${writes} ${edits}`)) || findWritten(row, args).length > 0) return false;
  if (row.reads === true) return true;
  const [first] = args.operands;
  if (first && row.reads !== undefined && nameSet(row.reads).has(first.word)) return true;
  const verb = getVerb(row, args.operands);
  return verb !== undefined && isReadOnly({ row: verb.row, words: words.slice(verb.operand.at + 1) });
}
