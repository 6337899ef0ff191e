// Programs whose words are another command, and where that begins. Judges no program.
import type { Danger } from "./Danger.ts";

/** Programs that start another, one in the other. */
export const MOST_STARTERS = 16;

/** Variables that make a program load or run something else. */
export const SWAYING =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELL|SHELLOPTS|PS4|PAGER|EDITOR|VISUAL|BROWSER|LD_\w+|DYLD_\w+|GIT_\w*(?:SSH|PAGER|EDITOR|ASKPASS|PROXY|EXEC|CONFIG|DIFF)\w*|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5?\w+|RUBY\w+|LESSOPEN)=/;

interface Starter {
  /** Letters and long names of flags that take the next word. */
  readonly letters: string;
  readonly longs: readonly string[];
  /** Words that come before the command. */
  readonly before: number;
  /** Flags whose value is a command, or code. */
  readonly code?: { readonly letter: string; readonly long: string } | undefined;
}

function starter(letters: string, longs: readonly string[] = [], before = 0, code?: Starter["code"]): Starter {
  return { letters, longs, before, code };
}

/** Programs whose words are another command. */
export const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ["env", starter("uCS", ["unset", "chdir"], 0, { letter: "S", long: "split-string" })],
  ["timeout", starter("sk", ["signal", "kill-after"], 1)],
  ["nice", starter("n", ["adjustment"])],
  ["nohup", starter("")],
  ["stdbuf", starter("ioe", ["input", "output", "error"])],
  ["setsid", starter("")],
  ["ionice", starter("cnpPu", ["class", "classdata"])],
  ["chrt", starter("TPD", ["sched-runtime", "sched-period", "sched-deadline"], 1)],
  ["taskset", starter("", [], 1)],
  ["time", starter("fo", ["format", "output"])],
  ["command", starter("")],
  ["builtin", starter("")],
  ["exec", starter("a")],
  ["busybox", starter("")],
  ["toybox", starter("")],
  ["strace", starter("eopPsSuEIabX", ["output", "trace", "user", "env"])],
  ["ltrace", starter("eopsuAaDFlnwx", ["output"])],
  ["flock", starter("wE", ["timeout", "wait"], 1, { letter: "c", long: "command" })],
  ["caffeinate", starter("tw")],
  ["catchsegv", starter("")],
]);

/** The words that are left for the program that one of them starts, or why that cannot be told. */
export function startedBy(starter: Starter, words: readonly string[]): Danger | { readonly words: readonly string[] } {
  let at = 0;
  for (let flag = words[at]; flag?.startsWith("-") && flag !== "-"; flag = words[at]) {
    at++;
    if (flag === "--") break;
    if (isCode(starter, flag)) return { rule: "code", reason: `\`${flag.slice(0, 40)}\` runs a text as a command` };
    if (takesNext(starter, flag)) at++;
  }
  at += starter.before;
  while (/^\w+=/.test(words[at] ?? "") && SWAYING.test(words[at] ?? "") === false) at++;
  const rest = words.slice(at);
  const [program = ""] = rest;
  if (starter.code && words.some((word) => isCode(starter, word)) && starter.before > 0)
    return { rule: "code", reason: "a text runs as a command" };
  // A number or a flag is no program: the flags before were not understood.
  if (/^(?:[-+\d]|$)/.test(program) && rest.length > 0)
    return { rule: "unread", reason: `which program would run cannot be told from \`${program.slice(0, 40)}\`` };
  return { words: rest };
}

function isCode({ code }: Starter, flag: string): boolean {
  if (!code || !flag.startsWith("-")) return false;
  if (flag.startsWith("--")) return flag.length > 3 && code.long.startsWith(flag.slice(2).split("=", 1)[0] ?? "");
  return flag.includes(code.letter);
}

function takesNext({ letters, longs }: Starter, flag: string): boolean {
  if (flag.startsWith("--")) return !flag.includes("=") && longs.some((long) => long.startsWith(flag.slice(2)));
  const at = [...flag].findIndex((letter, place) => place > 0 && letters.includes(letter));
  // `-n5` has its value in its own word.
  return at > 0 && at === flag.length - 1;
}

/** The name that a program goes by, wherever it stands and however it is written. */
export function programOf(word: string): string {
  return (word.trim().toLowerCase().split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/, "");
}

export interface FoundCommand {
  /** The place of the program's word. */
  readonly at: number;
  /** The name that the program goes by. */
  readonly program: string;
  /** Why it cannot be told which program would run. */
  readonly unread?: string | undefined;
}

export function commandOf(words: readonly string[]): FoundCommand {
  let at = 0;
  for (let starters = 0; starters <= MOST_STARTERS; starters++) {
    const program = programOf(words[at] ?? "");
    const starter = STARTERS.get(program);
    if (!starter || at === words.length - 1) return { at, program };
    const started = startedBy(starter, words.slice(at + 1));
    if ("rule" in started) return { at, program, unread: started.reason };
    if (started.words.length === 0) return { at, program };
    at = words.length - started.words.length;
  }
  return { at, program: "", unread: "programs start programs, deeper than can be checked" };
}
