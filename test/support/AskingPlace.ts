// Interrupts put to whoever sits at a terminal of a test, by a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InterruptRecord } from "../../src/core/runs/interrupts.ts";
import { startTerminal, type Terminal, type TerminalOptions } from "./tmux.ts";

const PROGRAM = fileURLToPath(new URL("./askPerson.ts", import.meta.url));

export class AskingPlace {
  #folder = "";
  #terminal: Terminal | undefined;

  get folder(): string {
    return this.#folder;
  }

  open(): void {
    this.#folder = mkdtempSync(join(tmpdir(), "postel-person-"));
  }

  /** The words of the program that asks about these. */
  program(open: readonly InterruptRecord[]): readonly string[] {
    const file = join(this.#folder, "open.json");
    writeFileSync(file, JSON.stringify(open));
    return [process.execPath, PROGRAM, file];
  }

  /** Every byte that is written stands in the folder's `written`. */
  async ask(open: readonly InterruptRecord[], options: Partial<TerminalOptions> = {}): Promise<Terminal> {
    const record = join(this.#folder, "written");
    this.#terminal = await startTerminal({ argv: this.program(open), rows: 40, record, ...options });
    return this.#terminal;
  }

  /** With the terminal that was asked last. */
  async close(): Promise<void> {
    await this.#terminal?.close();
    this.#terminal = undefined;
    rmSync(this.#folder, { recursive: true });
  }
}

/** What was decided in the end, which is the last thing that the program says. Throws where it ended otherwise. */
export async function decidedAt(terminal: Terminal): Promise<unknown> {
  const status = await terminal.exit();
  const shown = await terminal.history();
  if (status !== 0) throw new Error(`The program ended with ${status}:\n${shown}`);
  const [, said = ""] = shown.replaceAll("\n", "").split("Decided: ");
  return JSON.parse(said.split("Pane is dead")[0] ?? "");
}
