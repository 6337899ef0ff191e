// Programs that start a command given by their arguments or input.
import type { ProgramRow, ProgramTable } from "./ProgramRow.ts";

const RUNS = "runs code that stands in its own words";
const LOOKS = "version help V";

/** A program for which every call runs a command that is not looked into. */
function runner(row: ProgramRow = {}): ProgramRow {
  return { closed: "starts", rules: [{ rule: "code", why: RUNS, unless: LOOKS }], ...row };
}

/** A program that runs another with other rights. */
const RIGHTS: ProgramRow = {
  closed: "rights",
  rules: [
    { rule: "rights", why: "runs something with other rights, or changes who has which", unless: "version help" },
  ],
};

/** Programs of remote shells. */
const remote: ProgramRow = {
  closed: "leaves",
  stopsAtOperand: true,
  values: "b c D E e F I i J L l m O o p Q R S W w",
  rules: [{ rule: "code", why: "runs what it is told on another machine", unless: "V G version help" }],
};

/** Programs whose arguments are another command, after options and a number of operands. */
const STARTERS: ProgramTable = {
  env: { starts: 0, values: "u C unset chdir", code: "S split-string" },
  timeout: { starts: 1, values: "s k signal kill-after" },
  nice: { starts: 0, values: "n adjustment", word: true },
  "nohup setsid builtin busybox toybox catchsegv": { starts: 0 },
  stdbuf: { starts: 0, values: "i o e input output error" },
  ionice: { starts: 0, values: "c n p P u class classdata" },
  chrt: { starts: 1, values: "T P D sched-runtime sched-period sched-deadline" },
  taskset: { starts: 1 },
  time: { starts: 0, values: "f format", writes: "o output", word: true },
  command: { starts: 0, word: true, scriptless: "v V" },
  exec: { starts: 0, values: "a", word: true },
  strace: { starts: 0, values: "e p s S u E I a b X trace user env P O", writes: "o output" },
  ltrace: { starts: 0, values: "e p s u A a D F l n w x", writes: "o output" },
  flock: { starts: 1, values: "w E timeout wait", code: "c command" },
  arch: { starts: 0, style: "single-dash", values: "arch d e" },
  caffeinate: { starts: 0, values: "t w" },
};

export const WRAPPER_PROGRAMS: ProgramTable = {
  scl: {
    closed: "starts",
    verbs: {
      "enable run": { rules: [{ rule: "code", why: RUNS, operand: /./, at: 1 }] },
      "list-collections list-packages": { reads: true },
    },
  },
  ...STARTERS,
  "sudo su doas pkexec runuser chroot nsenter unshare setpriv capsh newgrp sg gosu runas": RIGHTS,
  xargs: runner(),
  "parallel watch script expect at batch entr eval source . trap": runner({ word: true }),
  "pssh pdsh clush watchexec dbus-run-session xvfb-run run-parts": {
    closed: "starts",
  },
  nodemon: { closed: "starts", code: "x exec", values: "w watch e ext i ignore" },
  hyperfine: runner({ values: "w r m M warmup runs", writes: "export-json export-csv export-markdown" }),
  "systemd-run systemd-nspawn": { closed: "starts" },
  "start-stop-daemon daemonize": runner({ rules: [{ rule: "code", why: RUNS, unless: "T status help version" }] }),
  tmux: {
    closed: "starts",
    values: "c f L S T",
    verbs: {
      "new-session new": { values: "c e F f n s t x y", rules: [{ rule: "code", why: RUNS, operand: /./ }] },
      "new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw run-shell run if-shell if pipe-pane pipep send-keys send popup display-popup set-hook source-file source bind-key bind confirm-before command-prompt":
        {
          values: "c e F f l n s t x y",
          rules: [{ rule: "code", why: RUNS, operand: /./ }],
        },
      "kill-server kill-session kill-window kill-pane": { rules: [{ rule: "delete", why: "ends what runs in it" }] },
      "ls list-sessions list-windows lsw list-panes lsp show-options info has-session has display-message display capture-pane capturep":
        {
          reads: true,
        },
    },
  },
  screen: {
    word: true,
    closed: "starts",
    values: "c e h p r S s t T x",
    stopsAtOperand: true,
    rules: [
      { rule: "code", why: RUNS, options: "X", operand: /./ },
      { rule: "code", why: RUNS, operand: /./, unless: "ls list r x X" },
    ],
    flags: "ls list",
  },
  "xterm konsole gnome-terminal urxvt": {
    closed: "starts",
    rules: [{ rule: "code", why: RUNS, options: "e x execute" }],
  },
  crontab: {
    closed: "starts",
    values: "u",
    rules: [{ rule: "code", why: "changes what runs later", unless: "l" }],
  },
  enable: { word: true, rules: [{ rule: "code", why: "loads code that its own words name", options: "f" }] },
  "ssh mosh rsh rlogin sshpass autossh": remote,
  "fzf sk": { code: "bind preview execute", values: "q f query filter d delimiter" },
};
