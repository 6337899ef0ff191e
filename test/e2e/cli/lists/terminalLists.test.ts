// What the lists look like on a terminal: fitted to its width, and whole where it is the name that is typed next.
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { HOSTILE, startWorld, type World } from "../../../support/cli/listWorld.ts";
import { startTerminal, type Terminal } from "../../../support/tmux.ts";

/** A machine of CI without a terminal fails; anybody else's does without these tests. */
const hasTerminal = process.env.CI !== undefined || spawnSync("tmux", ["-V"]).status === 0;

let world: World;
let terminal: Terminal;
beforeEach(async () => {
  world = await startWorld("native", [HOSTILE, "模型".repeat(40)]);
});
afterEach(async () => {
  await terminal.close();
  await world.close();
});

/** All lines of the terminal once the command has ended, with signs for what is different each time. */
async function shown(columns: number, ...args: string[]): Promise<readonly string[]> {
  const argv = [process.execPath, "src/main.ts", ...args, ...world.flags];
  terminal = await startTerminal({ argv, columns, rows: 60, env: world.env });
  expect(await terminal.exit()).toBe(0);
  const lines = (await terminal.history())
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("Pane is dead"));
  return lines.map((line) =>
    line.replace(/[0-9a-f]{32}/, "ID".padEnd(32)).replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "MOMENT".padEnd(16)),
  );
}

(hasTerminal ? describe : describe.skip)("a list on a terminal", () => {
  it("of 80 columns has as many columns as fit, the first whole", async () => {
    world.gateway.script = ["Fine."];
    await world.gateway.ask({ agent: "clerk", messages: [{ role: "user", content: "Hello" }], session_id: "s" });
    const [heads, row, ...more] = await shown(80, "runs");
    expect(heads).toMatch(/^run {31}status {4}began {13}agent {2}took$/);
    expect(row).toMatch(/^ID {32}answered {2}MOMENT {12}clerk {2}[\d.]+ (ms|s)$/);
    expect(more).toEqual([]);
  });

  it("of 40 columns is a block a row, and no name steers it", async () => {
    const lines = await shown(40, "models");
    expect(lines.slice(0, 9)).toEqual([
      ...["m", "  upstream    up", "  asked       native", "  row         m", "  context     100000 (assumed)"],
      "  prices      1/2",
      ...["evil\\u001b[2J\\u001b]0;owned\\u0007\\nforge", "d\\tline\\u202e", "  upstream    other"],
    ]);
    // Two cells each: twenty fill a line.
    expect(lines).toContain("模型".repeat(10));
  });
});
