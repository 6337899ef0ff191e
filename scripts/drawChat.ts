// Runs a chat with a recorded model in a real terminal and draws its screen as docs/chat.svg. Needs tmux.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTerminal, type Terminal } from "../test/support/tmux.ts";
import { drawTerminal } from "./drawTerminal.ts";

const COLUMNS = 80;
const ROWS = 60;
const TITLE =
  "postel chat: the agent asks what the sandwiches are for, with a list of options; then a calculation waits until it is approved, runs, and is answered";

/** Runs the chat and returns the SVG. Durations on the screen are replaced, so that the picture is always the same. */
export async function drawChat(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postel-drawn-"));
  const chat = ["chat", "--agent", "tour", "--session", "sandwiches", "--store", join(folder, "kept.db")];
  const argv = [process.execPath, "src/main.ts", ...chat];
  const cwd = join(import.meta.dirname, "..");
  const terminal = await startTerminal({ argv, columns: COLUMNS, rows: ROWS, cwd });
  try {
    await playChat(terminal);
    const screen = `$ postel chat --agent tour\n${await terminal.coloured()}`;
    return drawTerminal({ screen: screen.replaceAll(/· \d+ ms/g, "· 2 ms"), columns: COLUMNS, title: TITLE });
  } finally {
    await terminal.close();
    rmSync(folder, { recursive: true });
  }
}

/** Types the user's side of the chat. */
async function playChat(terminal: Terminal): Promise<void> {
  await terminal.until(/^›$/m);
  await terminal.type("How many sandwiches do 23 guests need?");
  await terminal.press("Enter");
  await terminal.until("● a picnic");
  await terminal.press("Down", "Enter");
  await terminal.until("● Reject");
  await terminal.press("Down", "Down");
  await terminal.until("● Approve");
  await terminal.press("Enter");
  await terminal.until(/69 sandwiches[\s\S]*\n›$/);
}

if (import.meta.main) writeFileSync(new URL("../docs/chat.svg", import.meta.url), await drawChat());
