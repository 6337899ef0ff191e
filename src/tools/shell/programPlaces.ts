// Programs that run code, start other programs or leave the machine by their words: a row for each, and where nothing of a call may stand. Runs none.
import {
  allOf,
  type CodePlaces,
  code,
  type Forbidden,
  MARK,
  nowhere,
  type PlaceRule,
  valuesOf,
  wholeWords,
} from "./PlaceRule.ts";

/** The rule of a program by its name; undefined where none is known. */
export function placesOf(program: string): PlaceRule | undefined {
  // `python3.12` is `python`.
  return RULES.get(program) ?? RULES.get(program.replace(/[-.]?\d[\d.]*$/, ""));
}

const CODE = "would be run as code";
const STARTS = "it starts other programs by its words";
const ORDERS = "it carries out orders that stand in its words and its input";
const FETCHES = "it runs what a package or its own file says";
const LEAVES = "what leaves the machine goes through an `http-client` component, whose addresses are guarded";
const RIGHTS = "it runs programs with other rights; have the gateway run as a user who may";

/** An interpreter: the value of a switch, or else the first word, is code or names it; what follows a script is the script's. */
function interpreter(places: Omit<CodePlaces, "why">): PlaceRule {
  return code({ operands: 1, runsScript: true, why: `it ${CODE}`, ...places });
}

const shell = interpreter({
  letters: "c",
  longs: ["command", "init-command", "rcfile", "init-file"],
  valued: "oO",
  reads: "si",
});
const javascript = interpreter({
  letters: "epr",
  longs: ["eval", "print", "require", "import", "loader", "experimental-loader"],
  valued: "C",
  valuedLongs: ["conditions"],
  reads: "i",
});
const awk = code({
  why: `a program text of awk ${CODE}`,
  letters: "feEil",
  longs: ["file", "source", "exec", "include", "load"],
  valued: "vF",
  operands: 1,
});
const database = allOf(
  code({
    why: `${ORDERS} (\`\\!\`, \`.shell\`)`,
    letters: "cef",
    longs: ["command", "execute", "file", "cmd", "init", "init-command"],
    valued: "hpUdvuP",
    operands: 9,
  }),
  () => [{ at: "stdin", why: ORDERS }],
);

/** A name with a colon is an address, or chooses how it is read. */
const schemes = wholeWords("a value with a colon would be an address to it; begin the word with `./`");

const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const find = allOf(
  code({ why: "`find` would run it", behind: FIND_RUNS }),
  valuesOf(/^-(?:fprintf?|fprint0|fls|files0-from)$/, "`find` would write there, or take its folders from there"),
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
const git: PlaceRule = (words) => {
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
  const switches = valuesOf(
    /^--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|output|remote|template)\b|^-O/,
    GIT_RUNS,
  );
  return [
    ...own,
    ...rest.filter(isForbidden).map(({ at: place }) => ({ at: place, why: GIT_RUNS })),
    ...switches(words),
  ];
};

const tar = allOf(
  code({
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
      : valuesOf(
          /^-[a-zA-Z]*f$|^--file(?:=|$)/,
          "a name with a colon is another machine to it, without `--force-local`",
        )(words),
);
const TAR_LIST: Forbidden = { at: "stdin", why: "its list of files may hold switches" };

function takesList(word: string): boolean {
  return /^-[a-zA-Z]*T|^--files-from/.test(word);
}

const RULES: ReadonlyMap<string, PlaceRule> = new Map<string, PlaceRule>([
  ...each(
    ["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash", "elvish", "nu", "xonsh"],
    shell,
  ),
  ...each(["python", "pypy", "ipython"], interpreter({ letters: "cm", valued: "WXQ", reads: "i" })),
  ...each(["node", "nodejs", "ts-node", "tsx"], javascript),
  [
    "bun",
    interpreter({
      letters: "epr",
      longs: ["eval", "print", "preload"],
      behind: /^(?:x|run|exec|repl|create|add|install)$/,
    }),
  ],
  ["deno", interpreter({ operands: 2, behind: /^(?:eval|repl|task|install|x)$/ })],
  ["perl", interpreter({ letters: "eEMm", valued: "I" })],
  ["ruby", interpreter({ letters: "er", valued: "ICEK", reads: "i" })],
  [
    "php",
    interpreter({
      letters: "rRBEFfd",
      longs: ["run", "process-code", "process-begin", "process-end", "process-file", "file", "define"],
      valued: "ctz",
      reads: "a",
    }),
  ],
  ...each(["lua", "luajit", "texlua"], interpreter({ letters: "el", reads: "i" })),
  ...each(
    ["tclsh", "wish", "guile", "racket", "sbcl", "clisp", "ocaml"],
    interpreter({ letters: "ceflr", longs: ["eval", "load"], reads: "i" }),
  ),
  ...each(
    ["rscript", "r", "julia", "octave", "groovy", "scala", "elixir", "osascript", "runghc", "gnuplot"],
    interpreter({ letters: "eEl", longs: ["eval", "rpc-eval"], reads: "i" }),
  ),
  ...each(["pwsh", "powershell", "cmd", "ghci", "irb", "erl", "gforth"], nowhere(`whatever it is given ${CODE}`)),
  [
    "java",
    interpreter({
      letters: "",
      longs: ["class-path", "module-path"],
      behind: /^-(?:cp|classpath|agentlib|agentpath|javaagent|D).*$/,
    }),
  ],
  ...each(["awk", "gawk", "mawk", "nawk"], awk),
  [
    "sed",
    code({
      why: `a script of sed ${CODE} and writes files (\`e\`, \`w\`)`,
      letters: "ef",
      longs: ["expression", "file"],
      valued: "l",
      valuedLongs: ["line-length"],
      operands: 1,
    }),
  ],
  ["find", find],
  ...each(["fd", "fdfind"], code({ why: "it would run it", behind: /^-[a-zA-Z]*[xX]$|^--exec/ })),
  ["git", git],
  ["tar", tar],
  ["rsync", allOf(code({ why: STARTS, letters: "e", longs: ["rsh", "rsync-path", "files-from"] }), schemes)],
  ["sort", code({ why: STARTS, letters: "", longs: ["compress-program"] })],
  ["zip", valuesOf(/^-TT|^--unzip-command/, STARTS)],
  ["dd", wholeWords("it would choose what is written to (`of=`)")],
  ...each(["psql", "mysql", "mariadb", "sqlite", "duckdb"], database),
  ...each(["convert", "magick", "mogrify", "identify", "ffmpeg", "ffprobe"], schemes),
  ...each(
    [
      "sudo",
      "su",
      "doas",
      "pkexec",
      "runuser",
      "chroot",
      "nsenter",
      "unshare",
      "setpriv",
      "capsh",
      "sg",
      "gosu",
      "runas",
    ],
    nowhere(RIGHTS),
  ),
  ...each(
    [
      "xargs",
      "parallel",
      "watch",
      "script",
      "expect",
      "at",
      "batch",
      "crontab",
      "entr",
      "gdb",
      "lldb",
      "start-stop-daemon",
      "systemd-run",
      "screen",
      "tmux",
      "dbus-run-session",
      "xvfb-run",
      "run-parts",
      "eval",
      "source",
      ".",
      "exec",
    ],
    nowhere(STARTS),
  ),
  ...each(
    [
      "make",
      "gmake",
      "cmake",
      "ninja",
      "npm",
      "npx",
      "yarn",
      "pnpm",
      "pip",
      "pipx",
      "uv",
      "uvx",
      "gem",
      "bundle",
      "cargo",
      "go",
      "apt",
      "apt-get",
      "dpkg",
      "rpm",
      "brew",
      "mvn",
      "gradle",
      "ant",
    ],
    nowhere(FETCHES),
  ),
  ...each(
    [
      "vi",
      "vim",
      "nvim",
      "view",
      "ex",
      "ed",
      "emacs",
      "nano",
      "pico",
      "less",
      "more",
      "most",
      "man",
      "info",
      "m4",
      "dc",
      "tex",
      "latex",
      "pdftex",
      "pdflatex",
      "xelatex",
      "lualatex",
      "gs",
    ],
    nowhere(ORDERS),
  ),
  ...each(["docker", "podman", "kubectl", "nerdctl", "ctr", "lxc", "vagrant", "ansible"], nowhere(STARTS)),
  ...each(
    [
      "ssh",
      "scp",
      "sftp",
      "mosh",
      "rsh",
      "rlogin",
      "sshpass",
      "autossh",
      "curl",
      "wget",
      "aria2c",
      "http",
      "https",
      "xh",
      "nc",
      "ncat",
      "netcat",
      "socat",
      "telnet",
      "ftp",
      "tftp",
      "lftp",
      "rclone",
      "sendmail",
      "mail",
    ],
    nowhere(LEAVES),
  ),
]);

function each(programs: readonly string[], rule: PlaceRule): readonly (readonly [string, PlaceRule])[] {
  return programs.map((program) => [program, rule]);
}
