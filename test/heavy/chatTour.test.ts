// The conversation that README begins with, at terminals of two widths: whole screens, as a person sees them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { steady } from "../support/cli/startChat.ts";
import { hasTerminal, startTerminal, type Terminal } from "../support/tmux.ts";

const WIDE = `· agent tour, model asks-first, session tour
· /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves
› How many sandwiches do 23 guests need?
· recording "asks-first": it was asked "How many sandwiches do 23 guests need?"

│
◇  What is it for?
│  a birthday party
✓ ask_user
Three for each guest, then.

│
◇  Would run ────────────────────────────────────────────────────────────────╮
│                                                                            │
│  The agent tour asks.                                                      │
│                                                                            │
│  May calculator be called with these arguments?                            │
│                                                                            │
│  Arguments:                                                                │
│  {                                                                         │
│    "expression": "23 * 3"                                                  │
│  }                                                                         │
│                                                                            │
│  Why you are asked: The agent's rules say that a person agrees to such a   │
│  call first.                                                               │
│                                                                            │
├────────────────────────────────────────────────────────────────────────────╯
│
◇  What shall become of it?
│  Approve: it runs as shown
✓ calculator 23 * 3 · N ms
That makes 69 sandwiches: 23 guests, three for each of them.

›`;

const NARROW = `· agent tour, model asks-first, session
tour
· /help lists the commands, Ctrl-C stops
 an answer, Ctrl-D leaves
› How many sandwiches do 23 guests need?

· recording "asks-first": it was asked "
How many sandwiches do 23 guests need?"

│
◇  What is it for?
│  a birthday party
✓ ask_user
Three for each guest, then.

│
◇  Would run ──────────────────────────╮
│                                      │
│  The agent tour asks.                │
│                                      │
│  May calculator be called with       │
│  these arguments?                    │
│                                      │
│  Arguments:                          │
│  {                                   │
│    "expression": "23 * 3"            │
│  }                                   │
│                                      │
│  Why you are asked: The agent's      │
│  rules say that a person agrees to   │
│  such a call first.                  │
│                                      │
├──────────────────────────────────────╯
│
◇  What shall become of it?
│  Approve: it runs as shown
✓ calculator 23 * 3 · N ms
That makes 69 sandwiches: 23 guests, thr
ee for each of them.

›`;

let folder: string;
let terminal: Terminal | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-tour-"));
});
afterEach(async () => {
  await terminal?.close();
  rmSync(folder, { recursive: true });
});

(hasTerminal ? describe : describe.skip)("the agent `tour` and its recorded model", () => {
  it.each([
    [80, WIDE],
    [40, NARROW],
  ])("ask with options, wait for a yes, and calculate, on %i columns", async (columns, shown) => {
    const words = ["chat", "--agent", "tour", "--session", "tour", "--store", join(folder, "kept.db")];
    terminal = await startTerminal({ argv: [process.execPath, "src/main.ts", ...words], columns, rows: 60 });
    await terminal.until(/^›$/m);
    await terminal.type("How many sandwiches do 23 guests need?");
    await terminal.press("Enter");
    await terminal.until("● a picnic");
    await terminal.press("Down", "Enter");
    await terminal.until("● Reject");
    await terminal.press("Down", "Down");
    await terminal.until("● Approve");
    await terminal.press("Enter");
    expect(steady(await terminal.until(/69 sandwiches[\s\S]*\n›$/))).toBe(shown);
  });
});
