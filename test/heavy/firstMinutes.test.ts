// A stranger's first five minutes, as README tells them: installed from a clean clone, then a conversation in a real terminal. Needs a registry.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { cleanClone } from "../support/cleanClone.ts";
import { blocksOf } from "../support/pages.ts";
import { hasTerminal, startTerminal, type Terminal } from "../support/tmux.ts";

jest.setTimeout(10 * 60_000);

let folder: string;
let shell: Terminal | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-stranger-"));
});
afterEach(async () => {
  await shell?.close();
  rmSync(folder, { recursive: true });
});

/** The line of README's blocks that has these words. */
function lineOfReadme(words: string): string {
  const lines = blocksOf(readFileSync("README.md", "utf8")).flatMap(({ text }) => text.split("\n"));
  const line = lines.find((one) => one.includes(words));
  if (line === undefined) throw new Error(`README has no line with ${words}.`);
  return line;
}

/** As README has it, but for where `--global` leads. The registry's answers of other installations are taken where there are any. */
function install(): void {
  const clone = join(folder, "clone");
  cleanClone(clone);
  const env = { ...process.env, npm_config_prefix: folder, npm_config_prefer_offline: "true" };
  const script = `npm() { command npm "$@" --no-audit --no-fund; }; ${lineOfReadme("npm install --global")}`;
  execFileSync("bash", ["-euc", script], { cwd: clone, env, stdio: ["ignore", "ignore", "inherit"] });
}

/** A person's own shell, in which `postel` is a command. */
async function openShell(): Promise<Terminal> {
  const home = join(folder, "home");
  mkdirSync(home);
  const PATH = [join(folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const env = { PATH, HOME: home, XDG_STATE_HOME: join(home, "state"), PS1: "$ " };
  const argv = ["bash", "--norc", "--noprofile", "-i"];
  const terminal = await startTerminal({ argv, cwd: home, env, rows: 50 });
  await terminal.until(/^\$$/m);
  return terminal;
}

(hasTerminal ? describe : describe.skip)("a stranger's first five minutes", () => {
  it("install, chat, answer a question, approve, leave, come back to the session and ask once more", async () => {
    const began = performance.now();
    const told: string[] = [];
    const tell = (what: string) => told.push(`${Math.round((performance.now() - began) / 1_000)} s  ${what}`);
    install();
    tell("installed");
    const terminal = await openShell();
    shell = terminal;
    const enter = async (words: string) => {
      await terminal.type(words);
      await terminal.press("Enter");
    };
    const approve = async () => {
      await terminal.until(/"expression": "23 \* 3"[\s\S]*● Reject[\s\S]*○ Approve/);
      await terminal.press("Down", "Down");
      await terminal.until("● Approve");
      await terminal.press("Enter");
    };

    await enter(lineOfReadme("postel chat"));
    await terminal.until(/^›$/m);
    tell("at the prompt");
    await enter("How many sandwiches do 23 guests need?");
    await terminal.until(/◆ {2}What is it for\?[\s\S]*● a picnic/);
    await terminal.press("Down", "Enter");
    await approve();
    await terminal.until(/✓ calculator 23 \* 3[\s\S]*69 sandwiches[\s\S]*\n›$/);
    tell("answered");
    await terminal.press("C-d");
    const left = await terminal.until(/goes on with it\n+\$$/);
    const comeBack = /· (postel chat --session \w+) goes on with it/.exec(left)?.[1] ?? "";

    await enter("clear");
    await terminal.until(/^\$$/);
    await enter(comeBack);
    const back = await terminal.until(/\n›$/);
    tell("back");
    expect(back).toContain("· agent tour, model asks-first");
    expect(back).toMatch(/› How many sandwiches do 23 guests need\?\n[\s\S]*› a birthday party\n[\s\S]*69 sandwiches/);
    await enter("And how many for 40?");
    await terminal.until(/› And how many for 40\?\n[\s\S]*● a picnic/);
    await terminal.press("Enter");
    await approve();
    await terminal.until(/✓ calculator 23 \* 3[\s\S]*\n›$/);
    await enter("/exit");
    await terminal.until(/goes on with it\n+\$$/);
    tell("left");
    process.stdout.write([...told, left, await terminal.screen(), ""].join("\n"));
  });
});
