// Finds positions of a configured command that no call may control, each with the reason and a safe form. Runs nothing.
import type { CommandIssue, ShellCommand } from "../../core/config/components.ts";
import { parseParts } from "../../core/template/fillTemplate.ts";
import { findCommand } from "../risk/shell/launchers.ts";
import { MARK } from "./InjectionRule.ts";
import { getInjectionRule, placesBehind } from "./injectionRules.ts";
import { getPathBase, validatePath } from "./paths.ts";

const SAFE = `Name the program itself, give it each value as a word of its own and longer text on its standard input, as in \`command: ["tee", "--", "\${input.file_path}"]\` with \`stdin: \${input.content}\`.`;

export function validateCommand(written: ShellCommand): readonly CommandIssue[] {
  const { command } = written;
  const marked = command.map(markedText);
  const faults = [
    ...programFaults(marked),
    ...marked.flatMap((word, at) => (at === 0 ? [] : wordFaults(word, at))),
    ...placeFaults(written, marked),
    ...pathFaults(written),
  ];
  // One reason per position is enough.
  return [...new Map(faults.toReversed().map((fault) => [fault.at, fault])).values()].toReversed();
}

/** Text of a template with a marker for each placeholder. */
function markedText(template: string): string {
  return parseParts(template)
    .map((part) => (part.type === "text" ? part.text : MARK))
    .join("");
}

function programFaults([program = ""]: readonly string[]): readonly CommandIssue[] {
  if (program.includes(MARK))
    return [{ at: 0, message: `expected a program without placeholders: no call chooses what runs. ${SAFE}` }];
  if (/[\s\p{C}]/u.test(program) || program === "")
    return [{ at: 0, message: `expected the name of one program, its words apart from it. ${SAFE}` }];
  return [];
}

function wordFaults(word: string, at: number): readonly CommandIssue[] {
  const mark = word.indexOf(MARK);
  if (mark < 0 || word === MARK) return [];
  const before = word.slice(0, mark);
  if (before === "")
    return [
      {
        at,
        message:
          "expected a placeholder that is the whole word, or text before it: what a value begins with decides what the word is",
      },
    ];
  if (before.startsWith("-") && !/^--[A-Za-z0-9][\w-]*=/.test(before))
    return [
      { at, message: "expected a value behind `--NAME=`, or as a word of its own: here it could be further switches" },
    ];
  return [];
}

/** Faults by the rules of the programs that the command runs. */
function placeFaults({ command, stdin, params }: ShellCommand, words: readonly string[]): readonly CommandIssue[] {
  const { at: from, program, unread } = findCommand(words);
  const marks = words.flatMap((word, at) => (word.includes(MARK) ? [at] : []));
  const name = words[from] ?? "";
  const say = (what: string, why: string, instead = SAFE): string =>
    `expected nothing of a call ${what}: ${why}. ${instead}`;
  if (unread !== undefined) return marks.map((at) => ({ at, message: say(`behind \`${name}\``, unread) }));
  const before = marks.filter((at) => at > 0 && at <= from);
  const rule = getInjectionRule(program) ?? placesBehind;
  const forbidden = rule(words.slice(from + 1));
  return [
    ...before.map((at) => ({ at, message: say("before the program", "it would choose what runs") })),
    ...forbidden.flatMap(({ at, why, instead, unlessPath }): CommandIssue[] => {
      if (at === "stdin")
        return markedText(stdin ?? "").includes(MARK)
          ? [{ at, message: say(`on the standard input of \`${name}\``, why, instead) }]
          : [];
      const place = from + 1 + at;
      if (unlessPath && isPath(command[place] ?? "", params)) return [];
      return words[place]?.includes(MARK)
        ? [{ at: place, message: say(`here among the words of \`${name}\``, why, instead) }]
        : [];
    }),
  ];
}

/** True if every placeholder of the word is a path that stays in the folder. */
function isPath(template: string, params: ShellCommand["params"]): boolean {
  return parseParts(template).every((part) => part.type === "text" || params[part.path[0] ?? ""]?.format === "path");
}

/** A path placeholder must be the complete word, or follow `--NAME=` or a relative folder, so that its path can be checked. */
function pathFaults({ command, params }: ShellCommand): readonly CommandIssue[] {
  return command.flatMap((template, at) => {
    const parts = parseParts(template);
    let before = "";
    return parts.flatMap((part, index): CommandIssue[] => {
      if (part.type === "text") {
        before += part.text;
        return [];
      }
      if (params[part.path[0] ?? ""]?.format !== "path") return [];
      const base = getPathBase(before);
      const isLast = index === parts.length - 1;
      const isFolder = base === "" || (base.endsWith("/") && validatePath(base.slice(0, -1)) === undefined);
      if (part.path.length > 1 || !isLast || !isFolder)
        return [
          {
            at,
            message:
              "expected a path (`format: path`) as a whole word, or behind `--NAME=` or a relative folder and `/`",
          },
        ];
      const fault = typeof part.fallback === "string" ? validatePath(part.fallback) : undefined;
      return fault === undefined ? [] : [{ at, message: `expected a default that is a relative path: ${fault}` }];
    });
  });
}
