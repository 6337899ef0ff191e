// Finds the command that a program starts by its arguments.
import { collectOptionNames, nameSet } from "../../programs/optionNames.ts";
import type { ProgramRow } from "../../programs/ProgramRow.ts";
import { findOptions, hasOption, parseArgv } from "../../programs/parseArgv.ts";
import { isElsewhere } from "../../programs/places.ts";
import { findRow, normalizeProgram } from "../../programs/programTable.ts";
import type { Risk } from "../Risk.ts";

/** Maximum nesting of programs that start another. */
export const MOST_STARTERS = 16;

/** Variables that make a program load or run something else. */
export const LOADER_VARIABLES =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELL|SHELLOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|FPATH|PAGER|\w+_PAGER|MANPAGER|EDITOR|\w+_EDITOR|VISUAL|BROWSER|LD_\w+|DYLD_\w+|GCONV_PATH|GIT_\w*(?:SSH|PAGER|EDITOR|ASKPASS|PROXY|EXEC|CONFIG|DIFF|TEMPLATE)\w*|(?:SSH|SUDO)_ASKPASS|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5?\w+|RUBY\w+|LUA_\w+|PHPRC|PHP_INI_SCAN_DIR|LESS(?:OPEN|CLOSE|KEY\w*)|RUSTC_\w*WRAPPER|RUSTC|CARGO_\w*(?:RUNNER|WRAPPER|LINKER)|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|CLASSPATH|MAKEFLAGS|GNUMAKEFLAGS|GOFLAGS|npm_config_\w+|NPM_CONFIG_\w+|PIP_\w*(?:INDEX|LINKS|CONFIG)\w*|UV_\w*INDEX\w*|TAR_OPTIONS|RSYNC_RSH|EXINIT|VIMINIT|MYVIMRC|AWKPATH|AWKLIBPATH|WGETRC|CURL_HOME|HGRCPATH|KUBECONFIG_EXEC\w*|DOCKER_HOST)=/;

/** The command that the program starts, or the risk that it cannot be determined. */
export function resolveStarted(
  row: ProgramRow,
  words: readonly string[],
): Risk | { readonly words: readonly string[] } {
  const args = parseArgv(words, collectOptionNames(row), { untilOperand: true });
  const { code = "", writes = "" } = row;
  if (hasOption(args, nameSet(code))) return { rule: "code", reason: "a text among the words runs as a command" };
  const written = findOptions(args, nameSet(writes)).map(({ value = "" }) => value);
  if (written.some((value) => /^\s*[|!]/.test(value)))
    return { rule: "code", reason: "what is written is given to a program" };
  if (written.some(isElsewhere)) return { rule: "delete", reason: "a file beyond the folder is written" };
  if (row.scriptless !== undefined && hasOption(args, nameSet(row.scriptless))) return { words: [] };
  let at = (args.operands[0]?.at ?? words.length) + (row.starts ?? 0);
  while (/^\w+=/.test(words[at] ?? "") && !LOADER_VARIABLES.test(words[at] ?? "")) at++;
  const rest = words.slice(at);
  const [program = ""] = rest;
  // A number or an option is no program: the options before were not understood.
  if (/^(?:[-+\d]|$)/.test(program) && rest.length > 0)
    return { rule: "unread", reason: `which program would run cannot be told from \`${program.slice(0, 40)}\`` };
  return { words: rest };
}

export interface FoundCommand {
  /** Index of the program's word. */
  readonly at: number;
  /** Normalized name of the program. */
  readonly program: string;
  /** Reason why the started program cannot be determined. */
  readonly unread?: string | undefined;
}

/** The program that would finally run, after programs that only start another. */
export function findCommand(words: readonly string[]): FoundCommand {
  let at = 0;
  for (let starters = 0; starters <= MOST_STARTERS; starters++) {
    const program = normalizeProgram(words[at] ?? "");
    const row = findRow(program);
    if (row?.starts === undefined || row.closed || at === words.length - 1) return { at, program };
    const started = resolveStarted(row, words.slice(at + 1));
    if ("rule" in started) return { at, program, unread: started.reason };
    if (started.words.length === 0) return { at, program };
    at = words.length - started.words.length;
  }
  return { at, program: "", unread: "programs start programs, deeper than can be checked" };
}
