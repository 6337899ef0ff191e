// What a command would destroy, give away or run that nobody has read: the program behind whatever only starts another. Runs nothing.
import { CommandWords } from "./CommandWords.ts";
import type { Danger } from "./Danger.ts";
import { programDanger } from "./programDanger.ts";
import { splitCommand } from "./splitCommand.ts";
import { MOST_STARTERS, programOf, STARTERS, SWAYING, startedBy } from "./starters.ts";

/** The danger of a command line. What a shell would make more of than words is one, since nobody can tell from it what would run. */
export function commandLineDanger(line: string): Danger | undefined {
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
      return commandDanger(split.words);
    default:
      return split satisfies never;
  }
}

/** Signs that nobody sees or that turn a text around, and spaces that part no words: what is read is not what would run. */
const UNSEEN = /[^\P{C}\t\n\r\0\p{Cs}]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function hex(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

/** The danger of a program with its words, as they would be given to it. */
export function commandDanger(argv: readonly string[]): Danger | undefined {
  const fault = argv.find((word) => word.includes("\0") || !word.isWellFormed());
  if (fault !== undefined)
    return { rule: "unread", reason: "a word of the command holds what no program can be given" };
  let words = argv;
  for (let starters = 0; starters <= MOST_STARTERS; starters++) {
    const assigned = words.findIndex((word) => !/^\w+=/.test(word));
    const harm = words.slice(0, Math.max(assigned, 0)).find((word) => SWAYING.test(word));
    if (harm !== undefined)
      return { rule: "code", reason: `\`${nameOf(harm)}\` decides which code programs load and run` };
    words = words.slice(Math.max(assigned, 0));
    const program = programOf(words[0] ?? "");
    const starter = STARTERS.get(program);
    if (!starter) return words.length === 0 ? undefined : programDanger(program, new CommandWords(words.slice(1)));
    const started = startedBy(starter, words.slice(1));
    if ("rule" in started) return started;
    words = started.words;
  }
  return { rule: "unread", reason: "the command starts programs by programs, deeper than can be checked" };
}

function nameOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf("="));
}

function shownSign(sign: string): string {
  return { "\n": "a new line", "\r": "a new line", "`": "a backquote" }[sign] ?? sign;
}
