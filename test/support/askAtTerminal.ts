// Interrupts put to whoever sits at a terminal of a test, by a process of its own. Knows no run.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InterruptRecord } from "../../src/core/interrupts.ts";
import { startTerminal, type Terminal, type TerminalOptions } from "./tmux.ts";

const PROGRAM = fileURLToPath(new URL("./askPerson.ts", import.meta.url));

/** The words of the program that asks about these. */
export function askingProgram(folder: string, open: readonly InterruptRecord[]): readonly string[] {
  writeFileSync(join(folder, "open.json"), JSON.stringify(open));
  return [process.execPath, PROGRAM, join(folder, "open.json")];
}

/** Every byte that is written stands in the folder's `written`. */
export function askAtTerminal(
  folder: string,
  open: readonly InterruptRecord[],
  options: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  const argv = askingProgram(folder, open);
  return startTerminal({ argv, rows: 40, record: join(folder, "written"), ...options });
}

/** What was decided in the end, which is the last thing that the program says. Throws where it ended otherwise. */
export async function decidedAt(terminal: Terminal): Promise<unknown> {
  const status = await terminal.exit();
  const shown = await terminal.history();
  if (status !== 0) throw new Error(`The program ended with ${status}:\n${shown}`);
  const [, said = ""] = shown.replaceAll("\n", "").split("Decided: ");
  return JSON.parse(said.split("Pane is dead")[0] ?? "");
}
