// Programs that read, write, move and delete files, and archivers.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";
import { SYSTEM_PLACE } from "./places.ts";
import { chmodRule } from "./scriptRules.ts";

const DELETES = "would delete whatever lies below";
const STARTS = "starts other programs by its options";

const onSystem = (why: string): ProgramRule => ({ rule: "delete", why, operand: SYSTEM_PLACE });
const deletesDeep: ProgramRule = { rule: "delete", why: DELETES, options: "r R recursive no-preserve-root" };
const windowsDeep: ProgramRule = { rule: "delete", why: DELETES, operand: /^\/s$/i };
const givesAway: ProgramRow = {
  rules: [
    { rule: "rights", why: "gives away all that lies below", options: "R recursive" },
    onSystem("gives files of the system away"),
  ],
  values: "from reference",
  written: "all",
};
const extracts = (options: string): ProgramRule => ({ rule: "delete", why: "writes beyond the folder", options });

const sevenZip: ProgramRow = {
  rules: [{ rule: "delete", why: "deletes what it has packed", options: "sdel" }],
  judge: ({ words }, program) =>
    words.some((word) => /^-o/.test(word) && SYSTEM_PLACE.test(word.slice(2)))
      ? { rule: "delete", reason: `\`${program}\` writes beyond the folder` }
      : undefined,
};

export const FILES: ProgramTable = {
  rm: {
    rules: [deletesDeep, onSystem("deletes files of the system")],
    flags: "force interactive dir verbose one-file-system",
    written: "all",
  },
  "del rd erase": { rules: [windowsDeep], written: "all" },
  unlink: { written: "all", rules: [onSystem("deletes files of the system")] },
  "sponge fallocate mknod": { values: "l o m length offset mode", written: "all" },
  shred: {
    values: "n s",
    written: "all",
    rules: [{ rule: "delete", why: "writes over files so that nothing brings them back" }],
  },
  truncate: {
    rules: [{ rule: "delete", why: "cuts files off", options: "s size r reference" }],
    values: "s size r reference",
    written: "all",
  },
  mv: {
    values: "S suffix",
    writes: "t target-directory",
    written: "all",
    rules: [
      { rule: "delete", why: "would lose the file", operand: /^\/dev\/null$/ },
      onSystem("moves files of the system"),
    ],
  },
  cp: {
    values: "S suffix Z context preserve sparse reflink",
    writes: "t target-directory",
    written: "last",
    rules: [{ rule: "delete", why: "empties the file that it writes", operand: /^\/dev\/(?:null|zero)$/, at: 0 }],
  },
  install: { word: true, values: "m o g S mode owner group suffix", writes: "t target-directory", written: "last" },
  ln: {
    values: "S suffix",
    writes: "t target-directory",
    written: "last",
    rules: [{ rule: "delete", why: "puts a link in the place of a file", operand: /^\/dev\/null$/ }],
  },
  "tee touch": { word: true, values: "d t r date reference time", written: "all" },
  dd: {
    rules: [{ rule: "disk", why: "writes over whatever `of=` names", operand: /^of=/ }],
  },
  chmod: { judge: chmodRule, values: "reference", written: "all" },
  "chown chgrp": givesAway,
  "setfacl chattr setcap": {
    rules: [
      {
        rule: "rights",
        why: "runs something with other rights, or changes who has which",
        unless: "version help test",
      },
    ],
  },
  find: {
    style: "single-dash",
    reads: true,
    edits: "delete",
    written: "all",
    values:
      "name iname path newer type maxdepth mindepth regex iregex wholename ipath lname ilname printf size mtime atime ctime mmin amin cmin user group perm samefile newermt anewer cnewer fstype inum links uid gid used",
    flags: "print print0",
    rules: [
      { rule: "delete", why: "would delete whatever it finds", options: "delete" },
      { rule: "code", why: "runs a program for all that it finds", options: "exec execdir ok okdir" },
      { rule: "delete", why: "writes over a file", options: "fprint fprint0 fprintf fls" },
    ],
  },
  "fd fdfind": {
    reads: true,
    values: "e t d E c j S extension type max-depth exclude color threads size changed-within changed-before",
    code: "x X exec exec-batch",
  },
  "tar bsdtar gtar": {
    style: "bundled",
    values:
      "f b g L N V X K file exclude exclude-from strip-components transform format mode owner group newer mtime checkpoint level",
    code: "I F to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script",
    chooses: "T files-from",
    writes: "",
    flags: "totals extract create list get delete dereference force-local version help",
    rules: [
      { rule: "delete", why: "deletes what it has packed", options: "remove-files" },
      extracts("P absolute-names"),
      { ...extracts("C directory"), value: SYSTEM_PLACE, unless: "c create t list" },
    ],
  },
  ar: {
    style: "bundled",
    flags: "help version thin",
    code: "plugin",
    writes: "output",
    edits: "r q d m s",
    written: "first",
  },
  objcopy: { values: "O I F j R output-target input-target only-section", written: "last" },
  "strip ranlib": { values: "O I F K N R", writes: "o", written: "all" },
  "ld as": { style: "single-dash", word: true, code: "plugin", values: "L l T m e", writes: "o output" },
  "dpkg-deb": { edits: "x X R extract vextract raw-extract", written: "last" },
  "unsquashfs cabextract unar": { writes: "d dest o output-directory directory" },
  cpio: {
    code: "rsh-command rmt-command to-command",
    values: "F I O H E R D C",
    rules: [extracts("absolute-filenames"), { ...extracts("D directory"), value: SYSTEM_PLACE }],
  },
  zip: {
    code: "TT unzip-command",
    values: "x i b n t P",
    written: "first",
    rules: [{ rule: "delete", why: "deletes what it has packed", options: "m move" }],
    judge: ({ words }, program) =>
      words.some((word) => /^-TT/.test(word)) ? { rule: "code", reason: `\`${program}\` ${STARTS}` } : undefined,
  },
  unzip: { writes: "d", values: "P x", flags: "version help" },
  "7z 7za 7zr 7zz": {
    style: "single-dash",
    verbs: {
      d: { rules: [{ rule: "delete", why: "deletes from the archive" }] },
      "l t i": { reads: true },
      "a u": { ...sevenZip, written: "first" },
      "e x": sevenZip,
    },
  },
  "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4": {
    values: "S suffix T",
    written: "all",
    printsWith: "c stdout to-stdout l list t test",
  },
  sort: {
    reads: true,
    values:
      "k t S T key field-separator buffer-size temporary-directory parallel batch-size sort random-source files0-from",
    code: "compress-program",
    writes: "o output",
  },
  split: { values: "a b C l n t lines bytes number suffix-length", code: "filter", written: "last" },
  csplit: { values: "b n", writes: "f prefix" },
  uniq: { reads: true, values: "f s w", written: "last" },
  "unrar rar": {
    verbs: {
      "x e": { written: "last" },
      "a u f m": { written: "first" },
      "d df": { rules: [{ rule: "delete", why: "deletes from the archive" }] },
      "l lb lt v t": { reads: true },
    },
  },
  "shuf comm": { reads: true, values: "f s w n i e head-count input-range", writes: "o output" },
  iconv: { reads: true, values: "f t from-code to-code", writes: "o output" },
  "xxd base64": { reads: true, values: "c l s g o w", written: "last" },
  "tree xmllint": { reads: true, values: "L P I xpath schema", writes: "o output" },
  patch: {
    word: true,
    written: "first",
    printsWith: "dry-run",
    values: "p i d input directory strip",
    writes: "o r output reject-file",
  },
  "gcc cc clang tcc g++ c++ clang++": {
    style: "single-dash",
    code: "wrapper specs fplugin B load",
    values: "I L l D U x std isystem include",
    writes: "o",
  },
  openssl: {
    style: "single-dash",
    values: "in inkey key cert CAfile k pass passin passout config",
    code: "engine provider-path",
    writes: "out keyout writerand",
    rules: [
      { rule: "network", why: "sends what it is given to another machine", operand: /^(?:s_client|s_server)$/, at: 0 },
    ],
  },
  gpg: {
    values: "r u recipient local-user homedir keyserver",
    writes: "o output",
    code: "load-extension photo-viewer",
    flags: "export",
    rules: [
      {
        rule: "delete",
        why: "deletes keys",
        options:
          "delete-keys delete-key delete-secret-keys delete-secret-key delete-secret-and-public-keys delete-secret-and-public-key",
      },
      { rule: "network", why: "sends keys to another machine", options: "send-keys" },
      { rule: "rights", why: "takes secret keys out", options: "export-secret-keys export-secret-subkeys" },
    ],
  },
  "ssh-add": { code: "s", values: "t" },
  "ssh-keygen": {
    values: "t b C N P I n V",
    code: "D",
    rules: [
      {
        rule: "delete",
        why: "writes a key over a file of the system",
        options: "f",
        value: SYSTEM_PLACE,
        unless: "l y F B H",
      },
    ],
  },
  "make gmake": {
    word: true,
    closed: "fetches",
    values: "C f j l o W directory file makefile jobs include-dir I",
    code: "eval E",
    rules: [
      {
        rule: "code",
        why: "runs code that stands in its own words",
        operand: /^(?:\.?SHELL|MAKEFLAGS|\.SHELLFLAGS)\+?=/,
      },
    ],
  },
  pandoc: { values: "f t from to M V metadata variable", code: "F L filter lua-filter", writes: "o output" },
  "rg ripgrep": {
    reads: true,
    values: "e f g t T A B C m M r j regexp file glob type max-count",
    code: "pre hostname-bin",
  },
  "ag ack bat delta": { word: true, reads: true, values: "A B C G m", code: "pager" },
};
