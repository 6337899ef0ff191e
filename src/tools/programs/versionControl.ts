// Git and other programs of version control.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";
import { gitConfig, gitSettings } from "./scriptRules.ts";

const LOSES = "would lose work that nothing brings back";
const RUNS = "runs what its own words say";

const loses = (given: Omit<ProgramRule, "rule" | "why">): ProgramRule => ({ rule: "delete", why: LOSES, ...given });
const runs = (given: Omit<ProgramRule, "rule" | "why">): ProgramRule => ({ rule: "code", why: RUNS, ...given });
const always = loses({});

/** Transports of git that run a command or take a descriptor. */
const TRANSPORT = /^(?:ext|fd)::/;

/** Options of verbs that contact another repository. */
const remote: ProgramRow = {
  code: "upload-pack receive-pack exec",
  values:
    "b o j depth branch origin shallow-since jobs reference recurse-submodules separate-git-dir filter server-option refmap",
  flags: "no-tags update-shallow unshallow ff-only all",
  rules: [runs({ options: "template" }), runs({ operand: TRANSPORT })],
  judge: gitSettings,
};
/** Verbs that print: what they show can be written to a file. */
const shows: ProgramRow = {
  reads: true,
  writes: "output",
  values: "S G L n U author since until before after grep format pretty date max-count skip",
  flags: "output-indicator-new output-indicator-old output-indicator-context ext-diff no-ext-diff",
};

export const VERSION_CONTROL: ProgramTable = {
  git: {
    values: "C git-dir work-tree namespace super-prefix list-cmds",
    chooses: "c",
    code: "exec-path config-env",
    flags: "version help html-path man-path info-path paginate no-pager no-replace-objects bare",
    judge: gitSettings,
    rules: [runs({ operand: TRANSPORT })],
    verbs: {
      "log show diff reflog-show whatchanged range-diff diff-tree diff-index diff-files": shows,
      "status ls-files ls-tree rev-parse describe shortlog blame annotate cat-file merge-base name-rev rev-list count-objects fsck var help version for-each-ref show-ref show-branch check-ignore cherry verify-commit verify-tag":
        { reads: true },
      grep: {
        reads: true,
        values: "e f A B C m max-count",
        code: "O open-files-in-pager",
      },
      clone: { ...remote, written: "last", code: "upload-pack u", chooses: "c config" },
      "fetch pull ls-remote fetch-pack send-pack": remote,
      push: {
        ...remote,
        values: "o push-option repo signed",
        flags: "dry-run follow-tags set-upstream tags all atomic no-verify",
        rules: [
          loses({ options: "f force force-with-lease force-if-includes d delete mirror prune", unless: "n dry-run" }),
          loses({ operand: /^\+|^:/, unless: "n dry-run" }),
          runs({ operand: TRANSPORT }),
        ],
      },
      archive: {
        values: "format prefix remote",
        code: "exec",
        writes: "o output",
        rules: [runs({ operand: TRANSPORT }), runs({ options: "remote", value: TRANSPORT })],
      },
      "format-patch": { writes: "o output-directory output" },
      bundle: { verbs: { create: { written: "first" }, "verify list-heads": { reads: true } } },
      "checkout-index": { writes: "prefix" },
      maintenance: { verbs: { "start register": { rules: [{ rule: "code", why: "changes what runs later" }] } } },
      clean: { values: "e exclude", rules: [loses({ options: "f force", unless: "n dry-run" })] },
      reset: { flags: "soft mixed", rules: [loses({ options: "hard merge" })] },
      checkout: {
        values: "b B orphan conflict",
        flags: "quiet track detach guess",
        rules: [loses({ options: "f force" }), loses({ operand: /^(?:\.|:\/?|.*\.(?:[a-z]{2,5}|[ch]))$|^\.\.?\// })],
        judge: ({ words, operands, options }, program) => {
          const makes = options.some(({ names }) => names.some((name) => /^(?:b|B|orphan|t|track)$/.test(name)));
          return words.includes("--") || (operands.length > 1 && !makes)
            ? { rule: "delete", reason: `\`${program} checkout\` ${LOSES}` }
            : undefined;
        },
      },
      switch: { values: "c C create force-create orphan", rules: [loses({ options: "f force discard-changes C" })] },
      restore: {
        values: "s source",
        rules: [loses({ operand: /./, unless: "S staged" }), loses({ options: "W worktree" })],
      },
      rm: { rules: [loses({ options: "r f force", unless: "cached n dry-run" })], flags: "quiet ignore-unmatch" },
      branch: {
        values: "u set-upstream-to contains no-contains merged no-merged sort format points-at",
        flags: "list show-current all remotes edit-description delete",
        rules: [loses({ options: "D" })],
        judge: ({ options }, program) => {
          const given = new Set(options.flatMap(({ names }) => names));
          const deletes = given.has("d") || given.has("delete");
          return deletes && (given.has("f") || given.has("force"))
            ? { rule: "delete", reason: `\`${program} branch\` ${LOSES}` }
            : undefined;
        },
      },
      stash: { verbs: { "clear drop": { rules: [always] }, "list show": { reads: true } } },
      reflog: { verbs: { "expire delete drop": { rules: [always] }, "show list exists": { reads: true } } },
      gc: { rules: [loses({ options: "prune", value: /^(?:now|all)$/ }), loses({ options: "" })] },
      prune: { rules: [loses({ unless: "n dry-run" })] },
      "update-ref symbolic-ref": { rules: [loses({ options: "d delete" })] },
      worktree: {
        verbs: {
          add: { written: "first", values: "b B reason" },
          remove: { rules: [loses({ options: "f force" })] },
          list: { reads: true },
        },
      },
      tag: { values: "m F u sort contains points-at format", flags: "list", rules: [loses({ options: "d delete" })] },
      "filter-branch filter-repo": { rules: [runs({ unless: "h help version" })] },
      "remote-ext remote-fd for-each-repo instaweb daemon send-email credential hook svn shell upload-pack receive-pack":
        { rules: [runs({})] },
      bisect: { verbs: { run: { rules: [runs({})] }, "log view": { reads: true } } },
      submodule: {
        verbs: {
          foreach: { rules: [runs({})] },
          deinit: { rules: [loses({ options: "f force" })] },
          "status summary": { reads: true },
        },
      },
      rebase: { values: "onto s X strategy", code: "x exec" },
      "difftool mergetool": { values: "t tool", code: "x extcmd", flags: "tool-help no-prompt" },
      config: { values: "f file blob type default", judge: gitConfig },
      init: { written: "all", values: "b initial-branch separate-git-dir", code: "template" },
      apply: { rules: [{ rule: "delete", why: "writes beyond the folder", options: "unsafe-paths" }] },
      remote: { reads: "show get-url" },
      "commit add mv merge cherry-pick revert notes am": { values: "m F C c author date X s" },
    },
  },
  "hg mercurial": {
    values: "R repository cwd encoding color pager",
    code: "config config-file",
    verbs: {
      purge: { rules: [loses({ unless: "p print" })] },
      "strip rollback": { rules: [always] },
      "update checkout up co": { rules: [loses({ options: "C clean" })] },
      revert: { rules: [loses({ options: "a all" })] },
      push: { rules: [loses({ options: "f force" })] },
      "status log diff summary branches tags heads id identify cat annotate parents": { reads: true },
    },
  },
  "svn svnadmin": {
    values: "r m F username password depth revision message",
    code: "config-option config-dir editor-cmd diff-cmd diff3-cmd merge-cmd",
    verbs: {
      revert: { rules: [loses({ options: "R recursive depth" })] },
      "delete del remove rm": { rules: [loses({ operand: /:\/\// })] },
      cleanup: { rules: [loses({ options: "remove-unversioned remove-ignored" })] },
      "status st log diff info list ls cat blame": { reads: true },
    },
  },
};
