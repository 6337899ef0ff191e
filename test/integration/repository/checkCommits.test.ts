// Checks the commit check in temporary repositories, as a function and as the script.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { checkCommits } from "../../../scripts/checkCommits.ts";

const AUTHOR = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-commits-"));
  git("init", "--quiet", "--initial-branch=main");
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", ["-C", folder, ...AUTHOR, ...args], { encoding: "utf8", env, stdio: "pipe" }).trim();
}

/** Makes an empty commit and returns its hash. */
function commit(subject: string): string {
  git("commit", "--quiet", "--allow-empty", "-m", subject);
  return git("rev-parse", "HEAD");
}

describe("checkCommits", () => {
  it("does not check the base and what is before it", () => {
    commit("Something of another time");
    const base = commit("Another one");
    expect(checkCommits(folder, base)).toEqual([]);
  });

  it.each([
    "fix: close the socket",
    "feat(parser): read arrow calls",
    "refactor(config)!: rename keys",
    "perf!: drop the slow path",
    "docs(http-api): name the field",
    "revert: feat(parser): read arrow calls",
    `fix: ${"é".repeat(67)}`,
  ])("accepts %s", (subject) => {
    const base = commit("base");
    commit(subject);
    expect(checkCommits(folder, base)).toEqual([]);
  });

  it.each([
    ["Close the socket", "is not"],
    ["fixed: close the socket", "is not"],
    ["fix:close the socket", "is not"],
    ["fix(): close the socket", "is not"],
    ["Fix: close the socket", "is not"],
    ["fix (parser): close the socket", "is not"],
    [`fix: ${"x".repeat(68)}`, "has 73 characters, at most 72 are allowed"],
  ])("refuses %s", (subject, fault) => {
    const base = commit("base");
    commit(subject);
    expect(checkCommits(folder, base)).toEqual([expect.stringContaining(`"${subject}": ${fault}`)]);
  });

  it("names the command that rewords the last commit, and the one for an older commit", () => {
    const base = commit("base");
    const older = commit("Older");
    commit("Last");
    const [first = "", second = ""] = checkCommits(folder, base) ?? [];
    expect(first).toContain(`git rebase -i ${older.slice(0, 10)}^`);
    expect(second).toContain("git commit --amend");
  });

  it("does not check merge commits, but the commits that they bring", () => {
    const base = commit("base");
    git("switch", "--quiet", "-c", "side");
    const wrong = commit("Side work");
    git("switch", "--quiet", "main");
    commit("fix: main work");
    git("merge", "--quiet", "--no-ff", "-m", "Merge branch 'side'", "side");
    expect(checkCommits(folder, base)).toEqual([expect.stringContaining(wrong.slice(0, 10))]);
  });

  it("cannot check a shallow clone that does not contain the base", () => {
    const base = commit("base");
    commit("Whatever");
    const clone = join(folder, "clone");
    git("clone", "--quiet", "--depth=1", `file://${folder}`, clone);
    expect(checkCommits(clone, base)).toBeUndefined();
  });
});

describe("scripts/checkCommits.ts", () => {
  it("says in a shallow clone that it cannot see the base, and succeeds", () => {
    commit("Whatever");
    const { status, stdout } = spawnSync(process.execPath, [resolve("scripts/checkCommits.ts")], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("are not checked") });
  });
});
