// docs/reference/cli.md as it is read: its commands run in their order by somebody whose terminal is a pipe, each answer held against the block behind it.
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { COMPILED } from "../../support/cli/runPostel.ts";
import { blocksOf, isShown } from "../../support/pages.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-terminal-"));
  writeFileSync(join(folder, "postel"), `#!/bin/sh\nexec "${process.execPath}" "${resolve("src/main.ts")}" "$@"\n`);
  chmodSync(join(folder, "postel"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What it writes, on both outputs, without blanks at the ends of lines. */
function said(script: string): Promise<string> {
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, NODE_COMPILE_CACHE: COMPILED };
  return new Promise((written) => {
    const child = execFile("bash", ["--norc", "-uc", `exec 2>&1; ${script}`], { cwd: folder, env }, (_error, out) =>
      written(out.replaceAll(/[ \t]+$/gm, "")),
    );
    child.stdin?.end();
  });
}

/** Columns are as wide as the times and ids in them, which are others each time. */
function narrow(text: string): string {
  return text.replaceAll(/ {2,}/g, "  ");
}

it("docs/reference/cli.md tells what happens", async () => {
  let answer = "";
  let shown = 0;
  for (const { language, text } of blocksOf(readFileSync("docs/reference/cli.md", "utf8"))) {
    if (language === "sh") answer = await said(text);
    else if (!isShown(narrow(answer), narrow(text))) expect(answer).toBe(text);
    else shown += 1;
  }
  expect(shown).toBeGreaterThan(5);
});
