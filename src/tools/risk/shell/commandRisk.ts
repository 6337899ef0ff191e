// Assesses the risk of a command: destroying, sending or running something unread. Finds the program that a launcher starts.
// Runs nothing.
import type { DangerPolicy } from "../../../core/config/componentActions.ts";
import { collectOptionNames } from "../../programs/optionNames.ts";
import type { ProgramRow } from "../../programs/ProgramRow.ts";
import { parseArgv } from "../../programs/parseArgv.ts";
import { findRow, findVerb, normalizeProgram } from "../../programs/programTable.ts";
import type { Risk } from "../Risk.ts";
import { StatementAssessor } from "../sql/StatementAssessor.ts";
import { getVerb, isReadOnly, judgeProgram } from "./assessProgram.ts";
import { LOADER_VARIABLES, MOST_STARTERS, resolveStarted } from "./launchers.ts";
import { splitCommand } from "./splitCommand.ts";

/** The risk of a command line. Shell syntax is a risk by itself, because its expansion is unknown. */
export function assessCommandLine(
  line: string,
  policy: CommandPolicy = "on",
  sql: StatementAssessor = new StatementAssessor(),
): Risk | undefined {
  const [unseen] = UNSEEN.exec(line) ?? [];
  if (unseen !== undefined)
    return { rule: "unread", reason: `the command holds U+${hex(unseen)}, which is not seen as what it is` };
  const split = splitCommand(line);
  switch (split.type) {
    case "shell":
      return { rule: "shell", reason: `a shell would act upon \`${shownSign(split.sign)}\` in this command` };
    case "fault":
      return { rule: "unread", reason: `the command cannot be read: ${split.fault}` };
    case "words":
      return assessCommand(split.words, policy, sql);
    default:
      return split satisfies never;
  }
}

/**
 * Invisible and direction characters, and spaces that separate no words: an approver would read another command than the one
 * that runs.
 */
const UNSEEN = /[^\P{C}\t\n\r\0\p{Cs}]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function hex(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

/** Policies under which a command is assessed. */
export type CommandPolicy = Exclude<DangerPolicy, "off">;

/** The risk of a program with its arguments. @param sql limits the SQL that is analysed for the call. */
export function assessCommand(
  argv: readonly string[],
  policy: CommandPolicy = "on",
  sql: StatementAssessor = new StatementAssessor(),
): Risk | undefined {
  if (argv.length > MOST_WORDS)
    return { rule: "unread", reason: `${argv.length} words are more than can be checked (${MOST_WORDS})` };
  const fault = argv.find((word) => word.includes("\0") || !word.isWellFormed());
  if (fault !== undefined)
    return { rule: "unread", reason: "a word of the command holds what no program can be given" };
  return judgeWords(argv, { policy, looksThrough: true, sql });
}

/** Maximum words of a command, and of all commands that are assessed after an unknown program. */
const MOST_WORDS = 20_000;

interface Judging {
  readonly policy: CommandPolicy;
  /** True if the arguments of an unknown program are searched for a command that it may start. */
  readonly looksThrough: boolean;
  readonly sql: StatementAssessor;
}

function judgeWords(argv: readonly string[], judging: Judging): Risk | undefined {
  let words = argv;
  for (let starters = 0; starters <= MOST_STARTERS; starters++) {
    const assigned = words.findIndex((word) => !/^\w+=/.test(word));
    const harm = words.slice(0, Math.max(assigned, 0)).find((word) => LOADER_VARIABLES.test(word));
    if (harm !== undefined)
      return { rule: "code", reason: `\`${getVariableName(harm)}\` decides which code programs load and run` };
    words = words.slice(Math.max(assigned, 0));
    const [first] = words;
    if (first === undefined) return undefined;
    const row = findRow(normalizeProgram(first));
    const started = row && startedCommand(row, words.slice(1), judging.sql);
    if (started === undefined) return judgeFirst(words, row, judging);
    if ("rule" in started) return started;
    words = started.words;
  }
  return { rule: "unread", reason: "the command starts programs by programs, deeper than can be checked" };
}

/** The command that a program, or one of its verbs, starts by its arguments; undefined if it starts none. */
function startedCommand(
  row: ProgramRow,
  words: readonly string[],
  sql: StatementAssessor,
): Risk | { readonly words: readonly string[] } | undefined {
  if (row.starts !== undefined) return fetched(row, words) ?? resolveStarted(row, words);
  const verb = row.verbs && getVerb(row, parseArgv(words, collectOptionNames(row)).operands);
  if (!verb) return undefined;
  const { at, word } = verb.operand;
  const started = startedCommand(verb.row, words.slice(at + 1), sql);
  const group = { name: word, row: { ...row, verbs: undefined }, words: words.slice(0, at), sql };
  return started && (judgeProgram(group) ?? started);
}

/** A package runner downloads what it runs, unless its options forbid that. */
function fetched({ closed }: ProgramRow, words: readonly string[]): Risk | undefined {
  if (closed !== "fetches" || words.length === 0) return undefined;
  const stays = words.some((word) => /^--(?:no|no-install|version|help|offline)$/.test(word));
  return stays ? undefined : { rule: "code", reason: "fetches a package and runs it" };
}

function judgeFirst(words: readonly string[], row: ProgramRow | undefined, judging: Judging): Risk | undefined {
  const [first = "", ...rest] = words;
  const name = normalizeProgram(first);
  const looks = judging.looksThrough && (!row || (row.closed === "starts" && !row.rules && !row.verbs));
  const found =
    (row && judgeProgram({ name, row, words: rest, sql: judging.sql })) ??
    (looks ? lookThrough(words, judging.sql) : undefined);
  if (found || judging.policy === "on" || (row && isReadOnly({ row, words: rest }))) return found;
  return { rule: "unknown", reason: `\`${name}\` is not known to only read` };
}

function getVariableName(assignment: string): string {
  return assignment.slice(0, assignment.indexOf("="));
}

function shownSign(sign: string): string {
  return { "\n": "a new line", "\r": "a new line", "`": "a backquote" }[sign] ?? sign;
}

/**
 * The risk of a command among the arguments of an unknown program, which may start it. A single name, or a name whose
 * arguments are harmless, counts as a plain word.
 */
function lookThrough(words: readonly string[], sql: StatementAssessor): Risk | undefined {
  let looked = 0;
  for (let at = 1; at < words.length - 1; at++) {
    const name = normalizeProgram((words[at] ?? "").replace(/^--?[\w-]+=/, ""));
    const row = findRow(name);
    if (!row || (row.reads === true && !row.rules && !row.code && !row.judge)) continue;
    if (!hasOwnWords(row, words[at + 1] ?? "")) continue;
    looked += words.length - at;
    if (looked > MOST_WORDS)
      return { rule: "unread", reason: "more commands stand among its words than can be checked" };
    const danger = judgeWords([name, ...words.slice(at + 1)], { policy: "on", looksThrough: false, sql });
    // Exceeding the SQL limit is a risk even if the word may not be a command.
    if (danger?.rule === "unread" && sql.isSpent) return danger;
    if (danger && danger.rule !== "unread" && !/runs whatever it reads$/.test(danger.reason)) return danger;
  }
  return undefined;
}

/** Returns true if the next word makes the name a command: an option, an operand that is no plain word, or another program. */
function hasOwnWords(row: ProgramRow, next: string): boolean {
  const always = row.rules?.some(({ options, operand }) => options === undefined && operand === undefined);
  if (row.word && always) return false;
  if (/^-/.test(next) || findVerb(row, next)) return true;
  return !row.word && (/[^a-zA-Z]/.test(next) || findRow(normalizeProgram(next)) !== undefined || next.length === 1);
}
