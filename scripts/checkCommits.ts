// Checks the subject of each commit since BASE. Part of `npm run check`.
import { execFileSync } from "node:child_process";

/** The last commit that is not checked. Commits after it must have conventional subjects. */
const BASE = "b3e1e76c1cdb106971e8ff5e1f2392fae71e12c7";

const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
const FORM = new RegExp(`^(?:${TYPES.join("|")})(?:\\([a-z0-9][a-z0-9-]*\\))?!?: \\S.*$`);
const MAX_LENGTH = 72;

interface Commit {
  readonly hash: string;
  readonly subject: string;
}

/**
 * Checks each commit after `base` in the repository of `folder`. Merge commits are not checked.
 * Returns one text for each wrong commit, with the command that rewords it; `undefined` if the clone does not contain `base`.
 */
export function checkCommits(folder: string, base: string): readonly string[] | undefined {
  if (!isAncestor(folder, base)) return undefined;
  const commits = listCommits(folder, base);
  const head = git(folder, "rev-parse", "HEAD").trim();
  return commits.flatMap(({ hash, subject }) => {
    const fault = findFault(subject);
    return fault === undefined ? [] : [`${hash.slice(0, 10)} "${subject}": ${fault}\n  ${rewordCommand(hash, head)}`];
  });
}

/** Returns the fault of a subject, or undefined if it is correct. */
function findFault(subject: string): string | undefined {
  const length = [...subject].length;
  if (length > MAX_LENGTH) return `has ${length} characters, at most ${MAX_LENGTH} are allowed`;
  if (FORM.test(subject)) return undefined;
  return `is not "type(scope): subject" (the scope is optional, "!" marks a breaking change; types: ${TYPES.join(", ")})`;
}

function rewordCommand(hash: string, head: string): string {
  if (hash === head) return "git commit --amend";
  return `git rebase -i ${hash.slice(0, 10)}^   # write "reword" in place of "pick" in its line`;
}

function listCommits(folder: string, base: string): readonly Commit[] {
  const lines = git(folder, "log", "--no-merges", "--reverse", "--format=%H %s", `${base}..HEAD`).split("\n");
  return lines
    .filter(Boolean)
    .map((line) => ({ hash: line.slice(0, line.indexOf(" ")), subject: line.slice(line.indexOf(" ") + 1) }));
}

/** Returns true if `base` is an ancestor of HEAD. Returns false if the clone does not contain `base`. */
function isAncestor(folder: string, base: string): boolean {
  try {
    git(folder, "merge-base", "--is-ancestor", base, "HEAD");
    return true;
  } catch {
    return false;
  }
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

if (import.meta.main) {
  const faults = checkCommits(".", BASE);
  if (faults === undefined) {
    console.log(
      `Commit subjects are not checked: this clone does not contain ${BASE.slice(0, 10)}. git fetch --unshallow brings it.`,
    );
  } else if (faults.length > 0) {
    console.error(["The subjects of these commits are wrong:", ...faults].join("\n"));
    process.exitCode = 1;
  }
}
