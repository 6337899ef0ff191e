// Shells, scripting languages and other programs that run the code they are given.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";
import { awkRule, sedRule } from "./scriptRules.ts";

const RUNS = "runs code that stands in its own words";

/** The first operand is a script, and what follows is the script's. */
function interpreter(row: ProgramRow): ProgramRow {
  const { scriptless = "", ...rest } = row;
  return { script: 1, runsScript: true, scriptless: `version help V ${scriptless}`, ...rest };
}

const code = (options: string): ProgramRule => ({ rule: "code", why: RUNS, options });

const shell = interpreter({
  code: "c command init-command rcfile init-file",
  values: "o O",
  input: "s i",
  rules: [code("s")],
});
const awk: ProgramRow = {
  values: "v F assign field-separator",
  chooses: "f file i include",
  code: "e source l load E exec",
  flags: "version help sandbox posix traditional lint",
  script: 1,
  stopsAtOperand: true,
  judge: awkRule,
  reads: true,
};
const evaluator = interpreter({ code: "c e f l r x eval load", input: "i" });
const script = interpreter({ code: "e E l x eval rpc-eval print", values: "f", input: "i" });

/** Modules of python that do more than a script of the folder would. Those that are programs of the table are judged as these. */
export const PYTHON_MODULES: ProgramTable = {
  timeit: { values: "n r s u number repeat setup unit", rules: [{ rule: "code", why: RUNS, unless: "h help" }] },
  "http.server http smtpd pydoc": {
    word: true,
    rules: [{ rule: "network", why: "serves files to other machines", unless: "h help" }],
  },
  "code idlelib": { word: true, rules: [{ rule: "code", why: "runs whatever it reads" }] },
  "pdb trace profile cprofile": { word: true },
};

export const INTERPRETERS: ProgramTable = {
  fish: { ...shell, code: "c C command init-command" },
  "sh bash dash zsh ksh mksh ash csh tcsh rbash elvish nu xonsh": shell,
  "python pypy ipython": interpreter({
    code: "c",
    chooses: "m",
    values: "W X Q check-hash-based-pycs",
    input: "i",
    scriptless: "h m",
    modules: true,
  }),
  "node nodejs ts-node tsx": interpreter({
    code: "e p r eval print require import loader experimental-loader",
    values:
      "C conditions env-file input-type experimental-default-type max-old-space-size stack-size test-name-pattern test-reporter watch-path title",
    chooses: "run",
    input: "i",
    scriptless: "v h test run check",
  }),
  bun: {
    code: "e p r eval print preload",
    values: "cwd config",
    stopsAtOperand: true,
    verbs: {
      "x create": { rules: [{ rule: "code", why: "fetches a package and runs it" }] },
      "add a i install": { rules: [{ rule: "code", why: "installs a package that is named", operand: /./ }] },
      publish: { rules: [{ rule: "network", why: "publishes a package" }] },
      repl: { rules: [{ rule: "code", why: "runs whatever it reads" }] },
      exec: { rules: [{ rule: "code", why: RUNS, operand: /./ }] },
      "test run build pm outdated why": {},
    },
  },
  deno: {
    values: "c config import-map L log-level",
    verbs: {
      "eval repl": { rules: [{ rule: "code", why: RUNS }] },
      "install add upgrade compile jupyter x": { rules: [{ rule: "code", why: "fetches code", operand: /./ }] },
      publish: { rules: [{ rule: "network", why: "publishes a package" }] },
      "run serve test bench": {
        values: "c config import-map cert lock",
        rules: [{ rule: "code", why: "runs code from elsewhere", operand: /^(?:https?|data|npm|jsr|blob):/, at: 0 }],
      },
    },
  },
  perl: interpreter({
    code: "e E",
    chooses: "m",
    values: "I",
    scriptless: "v",
    rules: [{ rule: "code", why: "loads a module that its own words name", options: "M" }],
  }),
  ruby: interpreter({ code: "e r", values: "I C E K", input: "i", scriptless: "v" }),
  php: interpreter({
    code: "r R B E run process-code process-begin process-end",
    chooses: "f F file process-file d define",
    values: "c t z",
    input: "a",
    scriptless: "v i m S",
    rules: [{ rule: "network", why: "serves files to other machines", options: "S" }],
  }),
  "lua luajit texlua": interpreter({ code: "e l", input: "i", scriptless: "v" }),
  "tclsh guile sbcl clisp ocaml": evaluator,
  "wish racket": { ...evaluator, word: true },
  "rscript julia octave groovy scala elixir osascript runghc gnuplot": script,
  r: { ...script, word: true },
  "ghc swift kotlin crystal": { code: "e", writes: "o", values: "O", word: true },
  "ghci irb erl gforth jshell": {
    closed: "code",
    rules: [{ rule: "code", why: "runs whatever it reads", unless: "version help V" }],
  },
  "pwsh powershell cmd": {
    closed: "code",
    rules: [{ rule: "code", why: RUNS, operand: /^\/[ck]/i }],
    judge: ({ words }, program) =>
      words.some((word) => /^[-/]+(?:c|k|e|f)/i.test(word))
        ? { rule: "code", reason: `\`${program}\` ${RUNS}` }
        : undefined,
  },
  java: {
    style: "single-dash",
    code: "agentlib agentpath javaagent",
    values: "cp classpath jar",
    stopsAtOperand: true,
    judge: ({ options }, program) =>
      options.some(({ names }) => names.some((name) => /^(?:agentlib|agentpath|javaagent):/.test(name)))
        ? { rule: "code", reason: `\`${program}\` ${RUNS}` }
        : undefined,
  },
  "awk gawk mawk nawk": awk,
  sed: {
    code: "",
    chooses: "e f expression file",
    values: "l line-length E",
    flags: "quiet silent regexp-extended separate in-place version help null-data posix sandbox debug unbuffered",
    script: 1,
    judge: sedRule,
    reads: true,
    written: "all",
    edits: "i in-place",
    rules: [
      {
        rule: "delete",
        why: "changes a file of the system",
        options: "i in-place",
        operand: /^\/(?:etc|usr|bin|sbin|lib|boot|root|dev|var\/spool)\//,
      },
    ],
  },
  "gdb lldb": {
    closed: "starts",
    rules: [{ rule: "code", why: RUNS, unless: "version help" }],
  },
  "vi vim nvim view gvim vimdiff rview rvim": {
    closed: "orders",
    judge: ({ words }, program) =>
      words.some(
        (word) =>
          /^[-+]/.test(word) &&
          !/^(?:\+\d*|\+\/[\w .-]*|--|-[RnbdOop]\d*|--(?:version|help|clean|headless))$/.test(word),
      )
        ? { rule: "code", reason: `\`${program}\` runs commands that stand in its words` }
        : undefined,
  },
  "ex ed": { word: true, closed: "orders", rules: [{ rule: "code", why: RUNS }] },
  "emacs emacsclient": { closed: "orders", code: "e l f eval load funcall insert script batch", values: "t d q" },
  "nano pico info tex latex pdftex pdflatex xelatex lualatex m4 dc gs": { closed: "orders" },
  "less more most": {
    word: true,
    closed: "orders",
    reads: true,
    writes: "o O log-file LOG-FILE",
    code: "k lesskey-file lesskey-src lesskey-content",
    judge: ({ words }, program) =>
      words.some((word) => /^\+.*[!|]/.test(word))
        ? { rule: "code", reason: `\`${program}\` runs a command that stands in its words` }
        : undefined,
  },
  "man info": {
    word: true,
    closed: "orders",
    reads: true,
    code: "P pager H html C config-file",
    values: "M manpath S sections L locale m systems e extension r prompt E encoding p preprocessor",
  },
};
