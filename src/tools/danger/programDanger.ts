// What programs do that a person has to agree to, a row for each. Is told a program and its words; knows no shell and nothing of where it runs.
import { CommandWords } from "./CommandWords.ts";
import type { Danger } from "./Danger.ts";
import { danger, first, type ProgramRule, when } from "./ProgramRule.ts";
import { chmod, container, curl, deviceDanger, find, git, isRemote, TAKERS_OF_RIGHTS, wget } from "./programs.ts";

/** The danger of one program; undefined where no row speaks against it. */
export function programDanger(program: string, words: CommandWords): Danger | undefined {
  // `python3.12` is `python`, `mkfs.ext4` is `mkfs`.
  const rule = RULES.get(program) ?? RULES.get(program.replace(/(?:[-.]?\d[\d.]*|\.\w+)$/, ""));
  return rule?.(words, program) ?? deviceDanger(words, program);
}

const DELETES = "would delete whatever lies below";
const RUNS = "runs code that stands in its own words";
const SENDS = "sends what it is given to another machine";

const destroysDisk = danger("disk", "writes over disks");
const takesRights = danger("rights", "runs something with other rights, or changes who has which");
const sends = danger("network", SENDS);
const runsText = danger("code", RUNS);

interface Interpreter {
  /** Letters of flags whose value, or what follows, is code. */
  readonly code: string;
  readonly longs?: readonly string[] | undefined;
  /** Letters and long names of flags that take the next word. */
  readonly valued?: string | undefined;
  readonly valuedLongs?: readonly string[] | undefined;
}

/** Flags count before the script alone; what follows is the script's. Without one an interpreter runs what it reads. */
function interpreter({ code, longs = [], valued = "", valuedLongs = [] }: Interpreter): ProgramRule {
  return (words, program) => {
    const script = words.afterFlags(valued, ...valuedLongs);
    const own = new CommandWords(words.words.slice(0, script));
    if (own.letter(code) || own.long(...longs)) return { rule: "code", reason: `\`${program}\` ${RUNS}` };
    const reads = script >= words.words.length || words.words[script] === "-";
    const asks = own.letter("vVhm") || own.long("version", "help");
    return reads && !asks ? { rule: "code", reason: `\`${program}\` runs whatever it reads` } : undefined;
  };
}

const shell = interpreter({
  code: "cs",
  longs: ["command", "init-command"],
  valued: "oO",
  valuedLongs: ["rcfile", "init-file"],
});
const python = interpreter({ code: "c", valued: "WXQ" });
const javascript = interpreter({
  code: "epr",
  longs: ["eval", "print", "require", "import", "loader"],
  valued: "C",
  valuedLongs: ["conditions", "env-file"],
});
const windowsShell = when((words) => words.words.some((word) => /^[-/]+(?:c|k|e|f)/i.test(word)), "code", RUNS);
const awk = first(
  when(
    ({ words }) => words.some((word) => /system|getline|[|>]|@load/.test(word)),
    "code",
    "starts programs or writes files from within its text",
  ),
  when((words) => words.long("load", "exec", "source"), "code", RUNS),
);

const RULES: ReadonlyMap<string, ProgramRule> = new Map<string, ProgramRule>([
  ["rm", when((words) => words.letter("rR") || words.long("recursive", "no-preserve-root"), "delete", DELETES)],
  ["del", when(({ words }) => words.some((word) => /^\/s$/i.test(word)), "delete", DELETES)],
  ["rd", when(({ words }) => words.some((word) => /^\/s$/i.test(word)), "delete", DELETES)],
  ["find", find],
  [
    "fd",
    when(
      (words) => words.letter("xX") || words.long("exec", "exec-batch"),
      "code",
      "runs a program for all that it finds",
    ),
  ],
  ["git", git],
  [
    "rsync",
    first(
      when((words) => words.letter("e") || words.long("rsh", "rsync-path"), "code", RUNS),
      when((words) => words.words.some((word) => /^--(?:del|remove-source)/.test(word)), "delete", DELETES),
      when(isRemote, "network", SENDS),
    ),
  ],
  ["shred", danger("delete", "writes over files so that nothing brings them back")],
  ["truncate", when((words) => words.letter("s") || words.long("size"), "delete", "cuts files off")],
  ["mv", when(({ operands }) => operands.at(-1) === "/dev/null", "delete", "would lose the file")],
  [
    "kubectl",
    first(
      when(
        ({ operands }) => /^(?:delete|drain)$/.test(operands[0] ?? ""),
        "delete",
        "deletes what runs in the cluster",
      ),
      when(
        ({ operands }) => /^(?:exec|run|cp|debug)$/.test(operands[0] ?? ""),
        "code",
        "runs a program in the cluster",
      ),
    ),
  ],
  ["crontab", danger("code", "changes what runs later")],
  ["dd", when(({ words }) => words.some((word) => word.startsWith("of=")), "disk", "writes over whatever `of=` names")],
  ["chmod", chmod],
  ["chown", when((words) => words.letter("R") || words.long("recursive"), "rights", "gives away all that lies below")],
  ["chgrp", when((words) => words.letter("R") || words.long("recursive"), "rights", "gives away all that lies below")],
  ["docker", container],
  ["podman", container],
  ["curl", curl],
  ["wget", wget],
  ["openssl", when(({ operands }) => operands[0] === "s_client", "network", SENDS)],
  ["scp", sends],
  [
    "tar",
    when(
      (words) =>
        words.letter("I") ||
        words.long(
          "checkpoint-action",
          "to-command",
          "use-compress-program",
          "rsh-command",
          "info-script",
          "new-volume-script",
        ),
      "code",
      "starts other programs by its flags",
    ),
  ],
  [
    "zip",
    when(
      ({ words }) => words.some((word) => /^-TT|^--unzip-command/.test(word)),
      "code",
      "starts other programs by its flags",
    ),
  ],
  [
    "sed",
    when(
      ({ words }) =>
        words.some(
          (word) => /(?:^|[;{}\n\d$/])\s*e(?:\s|$)|[^\w\s][gpiImM\d]*e[gpiImM\d]*$/.test(word) && !word.startsWith("-"),
        ),
      "code",
      "runs what its text says",
    ),
  ],
  ["sort", when((words) => words.long("compress-program"), "code", "starts other programs by its flags")],
  [
    "make",
    when(
      (words) => words.long("eval") || words.words.some((word) => /^(?:\.?SHELL|MAKEFLAGS)=/.test(word)),
      "code",
      RUNS,
    ),
  ],
  ["python", python],
  ["pypy", python],
  ["node", javascript],
  ["nodejs", javascript],
  ["bun", javascript],
  ["deno", when(({ operands }) => operands[0] === "eval" || operands[0] === "repl", "code", RUNS)],
  ["perl", interpreter({ code: "eEM", valued: "I" })],
  ["ruby", interpreter({ code: "er", valued: "ICEK" })],
  [
    "php",
    interpreter({ code: "rRBE", longs: ["run", "process-code", "process-begin", "process-end"], valued: "dczt" }),
  ],
  ["lua", interpreter({ code: "el" })],
  ["pwsh", windowsShell],
  ["powershell", windowsShell],
  ["cmd", windowsShell],
  [
    "vim",
    when(({ words }) => words.some((word) => /^[-+]/.test(word)), "code", "runs commands that stand in its words"),
  ],
  [
    "vi",
    when(({ words }) => words.some((word) => /^[-+]/.test(word)), "code", "runs commands that stand in its words"),
  ],
  ["shutdown", danger("disk", "stops the machine")],
  ...row(["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash"], shell),
  ...row(["awk", "gawk", "mawk", "nawk"], awk),
  ...row(
    [
      "mkfs",
      "mke2fs",
      "wipefs",
      "fdisk",
      "sfdisk",
      "cfdisk",
      "gdisk",
      "sgdisk",
      "parted",
      "blkdiscard",
      "mkswap",
      "hdparm",
    ],
    destroysDisk,
  ),
  ...row(
    [
      "badblocks",
      "cryptsetup",
      "lvremove",
      "vgremove",
      "pvremove",
      "mdadm",
      "zpool",
      "zfs",
      "diskutil",
      "format",
      "nvme",
    ],
    destroysDisk,
  ),
  ...row(TAKERS_OF_RIGHTS, takesRights),
  ...row(
    [
      "setcap",
      "visudo",
      "passwd",
      "chpasswd",
      "useradd",
      "usermod",
      "userdel",
      "groupadd",
      "groupmod",
      "adduser",
      "deluser",
    ],
    takesRights,
  ),
  ...row(["mount", "umount", "insmod", "modprobe", "rmmod", "iptables", "nft", "chattr", "setfacl"], takesRights),
  ...row(["nc", "ncat", "netcat", "socat", "telnet", "sftp", "ftp", "tftp", "lftp", "rclone", "sendmail"], sends),
  ...row(
    ["ssh", "mosh", "rsh", "rlogin", "sshpass", "autossh"],
    danger("code", "runs what it is told on another machine"),
  ),
  ...row(
    [
      "xargs",
      "parallel",
      "watch",
      "script",
      "expect",
      "at",
      "batch",
      "entr",
      "eval",
      "source",
      ".",
      "trap",
      "gdb",
      "ed",
      "ex",
    ],
    runsText,
  ),
  ...row(["reboot", "halt", "poweroff", "init", "telinit"], danger("disk", "stops the machine")),
]);

function row(programs: readonly string[], rule: ProgramRule): readonly (readonly [string, ProgramRule])[] {
  return programs.map((program) => [program, rule]);
}
