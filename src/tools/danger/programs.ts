// The programs whose danger lies in more than one flag. Is told their words; runs none of them.
import type { CommandWords } from "./CommandWords.ts";
import { first, type ProgramRule, when } from "./ProgramRule.ts";

/** Programs that run others with rights of their own. */
export const TAKERS_OF_RIGHTS: readonly string[] = [
  ...["sudo", "su", "doas", "pkexec", "runuser", "chroot", "nsenter", "unshare", "setpriv", "capsh"],
  ...["newgrp", "sg", "gosu", "runas"],
];

/** Behind one of these words find reads a command. */
export const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const FIND_WRITES = /^-(?:fprint|fprint0|fprintf|fls)$/;

export const find: ProgramRule = first(
  when(({ words }) => words.includes("-delete"), "delete", "would delete whatever it finds"),
  when(({ words }) => words.some((word) => FIND_RUNS.test(word)), "code", "runs a program for all that it finds"),
  when(({ words }) => words.some((word) => FIND_WRITES.test(word)), "delete", "writes over a file"),
);

/** Settings of git that say nothing about what it runs. */
const TAME_SETTINGS = /^(?:user|color|column|log|core\.(?:quotepath|abbrev|autocrlf|eol))\b/i;
/** Flags that name a program. */
const GIT_RUNS = ["exec-path", "upload-pack", "receive-pack", "exec", "extcmd", "open-files-in-pager", "config-env"];

export const git: ProgramRule = (words, program) => {
  const { settings, command, rest } = gitParts(words.words);
  const runs = gitRuns(words, command, rest);
  if (runs || settings.some((setting) => !TAME_SETTINGS.test(setting)))
    return { rule: "code", reason: `\`${program}\` runs what its own words say` };
  const loses = GIT_LOSES.get(command)?.test(rest);
  return loses
    ? { rule: "delete", reason: `\`${program} ${command}\` would lose work that nothing brings back` }
    : undefined;
};

/** Commands of git with the words that make them run something. */
const GIT_STARTS: ReadonlyMap<string, RegExp> = new Map([
  ["filter-branch", /^/],
  ["bisect", /^run$/],
  ["submodule", /^foreach$/],
  ["rebase", /^-x|^--exe/],
  [
    "config",
    /^(?:alias\.|credential|core\.(?:editor|pager|sshcommand|hookspath|fsmonitor)|.*\.(?:cmd|command|driver|process)$)/i,
  ],
]);

function gitRuns(words: CommandWords, command: string, rest: readonly string[]): boolean {
  const starts = GIT_STARTS.get(command);
  return (
    words.long(...GIT_RUNS) ||
    words.words.some((word) => word.startsWith("ext::")) ||
    (starts !== undefined && rest.some((word) => starts.test(word)))
  );
}

/** Git's own flags stand before its command; `-C` and `-c` take a word. */
function gitParts(words: readonly string[]) {
  const settings: string[] = [];
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    if (word === "-c") settings.push(words[at + 1] ?? "");
    at += /^-[Cc]$|^--(?:git-dir|work-tree|namespace)$/.test(word) ? 2 : 1;
  }
  return { settings, command: words[at] ?? "", rest: words.slice(at + 1) };
}

/** Commands of git with the words that make them lose something. */
const GIT_LOSES: ReadonlyMap<string, { readonly test: (rest: readonly string[]) => boolean }> = new Map([
  ["clean", { test: (rest) => some(rest, /^-[a-zA-Z]*f|^--f/) && !some(rest, /^-[a-zA-Z]*n|^--dry/) }],
  ["reset", { test: (rest) => some(rest, /^--har/) }],
  ["checkout", { test: (rest) => some(rest, /^-[a-zA-Z]*f|^--f|^\.$/) }],
  ["restore", { test: (rest) => some(rest, /^[.:]$/) }],
  ["push", { test: (rest) => some(rest, /^-[a-zA-Z]*[fd]|^--(?:force$|del|mirr|prune)|^\+|^:/) }],
  ["branch", { test: (rest) => some(rest, /^-[a-zA-Z]*D/) }],
  ["stash", { test: (rest) => some(rest, /^(?:clear|drop)$/) }],
  ["reflog", { test: (rest) => some(rest, /^(?:expire|delete)$/) }],
]);

function some(words: readonly string[], pattern: RegExp): boolean {
  return words.some((word) => pattern.test(word));
}

/** Every bit of 777 given at once, or any bit that lends the owner's rights to whoever runs it. */
export const chmod: ProgramRule = (words, program) => {
  const modes = words.words.filter(
    (word) => /^(?:[0-7]{3,5}|(?:[ugoa]*[-+=][rwxXst]*,?)+)$/.test(word) && !/^-[Rcfv]+$/.test(word),
  );
  if (modes.some((mode) => /^0?[2467][0-7]{3}$/.test(mode) || /[+=][rwxX]*s/.test(mode)))
    return { rule: "rights", reason: `\`${program}\` lets whoever runs a program have its owner's rights` };
  const open = modes.some((mode) => /[2367]$/.test(mode) || /(?:^|[oa,])\+[rxX]*w|[oa]=[rxX]*w/.test(mode));
  const deep = words.letter("R") || words.long("recursive");
  return deep && open
    ? { rule: "rights", reason: `\`${program}\` lets everybody write to all that lies below` }
    : undefined;
};

/** Where a container is given the machine. */
const HOLDS_MACHINE =
  /^--privileged|^--cap-add|^--pid=host|^--device|^(?:--volume=|--mount=|-v)?(?:.*source=|.*src=)?\/(?::|,|$|var\/run|etc|root|home|proc|sys|dev)/;

export const container: ProgramRule = first(
  when(
    ({ words }) => /^(?:run|create|exec)$/.test(words[0] ?? "") && words.some((word) => HOLDS_MACHINE.test(word)),
    "rights",
    "gives a container the machine itself",
  ),
  when(({ words }) => words[0] === "exec", "code", "runs a program in a container"),
  when(
    ({ words }) => /^(?:rm|rmi|prune|kill)$/.test(words[0] ?? "") || words[1] === "prune" || words[1] === "rm",
    "delete",
    "removes containers, or what they keep",
  ),
);

/** Letters of curl's flags that take the rest of their word, or the next one. */
const CURL_VALUED = "AbcCdDeEFhHKmoPQrtTuUwxXyYzZ";

export const curl: ProgramRule = (words, program) => {
  const data = words.values("d", "data", CURL_VALUED);
  const forms = words.values("F", "form", CURL_VALUED);
  const uploads = words.values("T", "upload-file", CURL_VALUED);
  if (
    uploads.length > 0 ||
    data.some((value) => /^[^=]*@/.test(value)) ||
    forms.some((value) => /=[@<]|^@/.test(value))
  )
    return { rule: "network", reason: `\`${program}\` sends a file to another machine` };
  if (words.values("K", "config", CURL_VALUED).length > 0)
    return { rule: "code", reason: `\`${program}\` takes its orders from a file` };
  return writesElsewhere(words.values("o", "output", CURL_VALUED))
    ? { rule: "network", reason: `\`${program}\` writes what the network says beyond its own folder` }
    : undefined;
};

/** Letters of wget's flags that take a value. */
const WGET_VALUED = "aeBDGIiloOPQRtTUwX";

export const wget: ProgramRule = (words, program) => {
  if (words.long("post-file", "body-file"))
    return { rule: "network", reason: `\`${program}\` sends a file to another machine` };
  if (words.letter("e") && words.values("e", "execute", WGET_VALUED).length > 0)
    return { rule: "code", reason: `\`${program}\` is given settings that can run code` };
  return writesElsewhere(words.values("O", "output-document", WGET_VALUED))
    ? { rule: "network", reason: `\`${program}\` writes what the network says beyond its own folder` }
    : undefined;
};

function writesElsewhere(paths: readonly string[]): boolean {
  return paths.some(
    (path) => /^(?:[/~]|[a-zA-Z]:)|(?:^|\/)\.\.\//.test(path) && !/^\/(?:tmp\/|dev\/(?:null|stdout)$)/.test(path),
  );
}

/** `host:path`, `user@host:path`, `rsync://…`: another machine. */
export function isRemote({ operands }: CommandWords): boolean {
  return operands.some((word) => /^(?:[\w.-]+@)?[\w.-]{2,}:|^rsync:\/\//.test(word));
}

/** A device as a word of a program that writes to what it is given. */
export const deviceDanger: ProgramRule = (words, program) =>
  /^(?:tee|cp|mv|install|ln|cat|pv|split)$/.test(program) &&
  words.operands.some((word) => /^\/dev\/(?!null$|std|fd\/|tty$)/.test(word))
    ? { rule: "disk", reason: `\`${program}\` is given a device` }
    : undefined;
