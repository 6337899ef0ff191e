// Rules of programs that need more than a table entry: interpreters, find, git, tar.
import {
  type CodePlaces,
  combineRules,
  type Forbidden,
  forbidCode,
  forbidValues,
  forbidWholeWords,
  type InjectionRule,
  MARK,
} from "./InjectionRule.ts";

export const CODE = "would be run as code";
export const WRITES =
  "it would choose the file that is written; say `format: path` of the parameter, which keeps it in `cwd`";
export const STARTS = "it starts other programs by its words";
export const ORDERS = "it carries out orders that stand in its words and its input";

/** An interpreter: the value of a switch, or else the first word, is code or names it; what follows a script is the script's. */
function forbidInterpreterCode(places: Omit<CodePlaces, "why">): InjectionRule {
  return forbidCode({ operands: 1, runsScript: true, why: `it ${CODE}`, ...places });
}

export const bun = forbidInterpreterCode({
  letters: "epr",
  longs: ["eval", "print", "preload"],
  behind: /^(?:x|run|exec|repl|create|add|install)$/,
});
export const deno = forbidInterpreterCode({ operands: 2, behind: /^(?:eval|repl|task|install|x)$/ });
export const java = forbidInterpreterCode({
  letters: "",
  longs: ["class-path", "module-path"],
  behind: /^-(?:cp|classpath|agentlib|agentpath|javaagent|D).*$/,
});
export const database = combineRules(
  forbidCode({
    why: `${ORDERS} (\`\\!\`, \`.shell\`)`,
    letters: "cef",
    longs: ["command", "execute", "file", "cmd", "init", "init-command"],
    valued: "hpUdvuP",
    operands: 9,
  }),
  () => [{ at: "stdin", why: ORDERS }],
);

/** A name with a colon is a URL, or chooses how it is read. */
export const schemes = forbidWholeWords("a value with a colon would be an address to it; begin the word with `./`");

/** Words after which find reads a command. */
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

export const find = combineRules(
  forbidCode({ why: "`find` would run it", behind: FIND_RUNS }),
  forbidValues(/^-(?:fprintf?|fprint0|fls|files0-from)$/, "`find` would write there, or take its folders from there"),
  (words) => behindEnd(words, "`find` takes no heed of `--`, so that a value could be one of its switches"),
);

function behindEnd(words: readonly string[], why: string): readonly Forbidden[] {
  const end = words.indexOf("--");
  return end < 0 ? [] : words.flatMap((word, at) => (at > end && word.startsWith(MARK) ? [{ at, why }] : []));
}

const GIT_RUNS = "git would run what it names";
const GIT_REMOTE = /^(?:clone|fetch|pull|push|ls-remote|remote|submodule|fetch-pack|send-pack|archive)$/;
const GIT_NEVER =
  /^(?:config|filter-branch|bisect|rebase|difftool|mergetool|daemon|instaweb|send-email|hook|init|worktree)$/;

/** Its own switches and its command are the operator's; so is the address of another repository. */
export const git: InjectionRule = (words) => {
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at])
    at += /^-[Cc]$|^--(?:git-dir|work-tree|namespace|config-env|exec-path)$/.test(word) ? 2 : 1;
  const command = words[at] ?? "";
  const own = words.slice(0, at + 1).map((_, place) => ({ at: place, why: GIT_RUNS }));
  const rest = words.slice(at + 1).map((word, place) => ({ word, at: at + 1 + place }));
  const address = rest.find(({ word }) => !word.startsWith("-"));
  const isForbidden = ({ word, at: place }: { readonly word: string; readonly at: number }): boolean =>
    GIT_NEVER.test(command) ||
    (/^(?:remote|submodule)$/.test(command) && word.startsWith(MARK)) ||
    (GIT_REMOTE.test(command) && (place === address?.at ? /^\0|^ext::/.test(word) : false));
  const switches = forbidValues(
    /^--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|output|remote|template)\b|^-O/,
    GIT_RUNS,
  );
  return [
    ...own,
    ...rest.filter(isForbidden).map(({ at: place }) => ({ at: place, why: GIT_RUNS })),
    ...switches(words),
  ];
};

export const tar = combineRules(
  forbidCode({
    why: STARTS,
    letters: "IFT",
    longs: [
      ...["to-command", "checkpoint-action", "use-compress-program", "rsh-command", "rmt-command"],
      ...["info-script", "new-volume-script", "files-from"],
    ],
    valued: "fCbgLNVXK",
    valuedLongs: ["file", "directory", "exclude", "exclude-from"],
  }),
  (words) => [
    { at: 0, why: "its first word may be switches without a `-`" },
    ...(words.some(takesList) ? [TAR_LIST] : []),
  ],
  (words) =>
    words.includes("--force-local")
      ? []
      : forbidValues(
          /^-[a-zA-Z]*f$|^--file(?:=|$)/,
          "a name with a colon is another machine to it, without `--force-local`",
        )(words),
);

const TAR_LIST: Forbidden = { at: "stdin", why: "its list of files may hold switches" };

function takesList(word: string): boolean {
  return /^-[a-zA-Z]*T|^--files-from/.test(word);
}
