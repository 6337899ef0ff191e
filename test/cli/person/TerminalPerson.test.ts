// A person at a real terminal: keys pressed, the screen looked at, and every byte that was written.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { InterruptRecord, Plan } from "../../../src/core/interrupts.ts";
import { approval, interrupt, PLAN } from "../../support/interrupts.ts";
import { strayBytes } from "../../support/strayBytes.ts";
import { hasTerminal, startTerminal, type Terminal, type TerminalOptions } from "../../support/tmux.ts";

// Whole processes, on a machine that may be busy.
jest.setTimeout(120_000);

const PROGRAM = fileURLToPath(new URL("../../support/askPerson.ts", import.meta.url));
/** What could steer a terminal, answer in a person's place, turn a text around or write over what was there. */
const HOSTILE =
  "rm\u001b]52;c;cm0=\u0007\u001b]8;;http://x/\u001b\\\u001b[2J\u001b[1;1H\u001b[38;5;196m\u009b6n\u001bP+q\u0007\u001b[c \u202egnp\u202c \u2066x\u2069\rls\bx\u007f\u2028";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const RED = /\u001b\[31m[^\n]*It removes all/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const COLOURED = /\u001b\[[39]\dm/;

let folder: string;
let terminal: Terminal | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-person-"));
});
afterEach(async () => {
  await terminal?.close();
  rmSync(folder, { recursive: true });
});

async function ask(open: readonly InterruptRecord[], options: Partial<TerminalOptions> = {}): Promise<Terminal> {
  writeFileSync(join(folder, "open.json"), JSON.stringify(open));
  const argv = [process.execPath, PROGRAM, join(folder, "open.json")];
  terminal = await startTerminal({ argv, rows: 40, record: join(folder, "written"), ...options });
  return terminal;
}

/** What was decided: the last thing that the program says. */
async function decided(at: Terminal): Promise<unknown> {
  expect(await at.exit()).toBe(0);
  const [, said = ""] = (await at.history()).replaceAll("\n", "").split("Decided: ");
  return JSON.parse(said.split("Pane is dead")[0] ?? "");
}

const reject = { type: "reject", plan: PLAN.hash };

(hasTerminal ? describe : describe.skip)("a person at a terminal", () => {
  it("chooses something else, is asked again for a blank answer, and sees a hostile question as text, on 40 columns", async () => {
    const open = interrupt({ question: `Which? ${HOSTILE}`, options: [`red ${HOSTILE}`, "green"], allowOther: true });
    const at = await ask([open], { columns: 40 });
    await at.until("Something else");
    await at.press("Down", "Down", "Enter");
    await at.until("What else?");
    await at.press("Enter");
    await at.until("A blank answer is none");
    await at.type("blue");
    await at.press("Enter");
    expect(await decided(at)).toEqual([{ type: "answer", response: "blue" }]);
    expect(strayBytes(readFileSync(join(folder, "written"), "utf8"))).toEqual([]);
    const [asked = ""] = (await at.history()).split("Decided: ");
    // Nothing that was given begins a line: a line of ours cannot be forged.
    expect(asked.split("\n").filter((line) => !/^(?:[│◇├]|$)/.test(line))).toEqual([]);
  });

  it("rejects by a careless Enter, and says why only if there is something to say", async () => {
    const at = await ask([
      approval({ danger: `It removes all. ${HOSTILE}`, arguments: JSON.stringify({ a: HOSTILE }) }),
    ]);
    const screen = await at.until("Approve");
    expect(screen).toContain("● Reject");
    expect(screen).toContain("\\u001b]52;c;cm0=\\u0007");
    expect(await at.coloured()).toMatch(RED);
    await at.press("Enter");
    await at.until("Why not?");
    await at.press("Enter");
    expect(await decided(at)).toEqual([reject]);
    expect(strayBytes(readFileSync(join(folder, "written"), "utf8"))).toEqual([]);
  });

  it("approves what was shown whole, and of a long line not before", async () => {
    const at = await ask([approval({ arguments: JSON.stringify({ text: "x".repeat(100_000), last: "SEEN" }) })]);
    expect(await at.until("Show all of it")).not.toContain("Approve");
    expect(await at.history()).toMatch(/… 96,\d{3} characters more/);
    await at.press("Down", "Enter");
    expect(await at.until("Approve")).toContain("SEEN");
    await at.press("Down", "Down", "Enter");
    expect(await decided(at)).toEqual([{ type: "approve", plan: PLAN.hash }]);
  });

  it("edits the arguments in a line, is told what is wrong with them, and can go back", async () => {
    const at = await ask([approval()]);
    await at.until("Approve");
    await at.press("Down", "Enter");
    await at.until('{ "path": "notes.txt" }');
    await at.press("BSpace");
    await at.press("Enter");
    await at.until("no JSON object");
    await at.press("BSpace");
    await at.type('.old"}');
    await at.press("Enter");
    expect(await decided(at)).toEqual([{ type: "edit", plan: PLAN.hash, arguments: { path: "notes.txt.old" } }]);
  });

  it("edits them in an editor; one that changes nothing, or fails, approves nothing", async () => {
    const editor = join(folder, "editor");
    writeFileSync(editor, '#!/bin/sh\ncase "$1" in keep) ;; fail) exit 3 ;; *) sed -i s/notes/other/ "$2" ;; esac\n', {
      mode: 0o755,
    });
    const edit = async (way: string) => {
      const at = await ask([approval()], { env: { EDITOR: `${editor} ${way}` } });
      await at.until("Approve");
      await at.press("Down", "Enter");
      return at;
    };
    const kept = await edit("keep");
    await kept.until(/Edit the arguments\n[\s\S]*● Reject/);
    await kept.press("C-c");
    expect(await decided(kept)).toBeNull();
    await kept.close();
    const failed = await edit("fail");
    await failed.until("ended with 3");
    await failed.until("● Reject");
    await failed.press("C-c");
    expect(await decided(failed)).toBeNull();
    await failed.close();
    const changed = await edit("change");
    expect(await decided(changed)).toEqual([{ type: "edit", plan: PLAN.hash, arguments: { path: "other.txt" } }]);
  });

  it.each(["Escape", "C-c", "C-d"])("decides nothing by %s, wherever the cursor stands", async (key) => {
    const at = await ask([interrupt({ options: ["red", "green"] }), approval()]);
    await at.until("red");
    await at.press("Enter");
    await at.until("Approve");
    await at.press("Down", "Down");
    await at.until("● Approve");
    await at.press(key);
    expect(await decided(at)).toBeNull();
  });

  it("without colours, or with a terminal that moves no cursor, reads and answers the same", async () => {
    const plain = await ask([approval({ danger: "It removes all." })], { env: { NO_COLOR: "1" } });
    await plain.until("● Reject");
    expect(await plain.coloured()).not.toMatch(COLOURED);
    await plain.press("C-c");
    await plain.exit();
    await plain.close();
    const dumb = await ask([approval()], { env: { TERM: "dumb" } });
    await dumb.until("Number from 1 to 3:");
    await dumb.type("3");
    await dumb.press("Enter");
    expect(await decided(dumb)).toEqual([{ type: "approve", plan: PLAN.hash }]);
    expect(readFileSync(join(folder, "written"), "utf8")).not.toContain("\u001b");
  });
});

describe("a pipe", () => {
  const piped = (open: readonly InterruptRecord[], input: string): string => {
    writeFileSync(join(folder, "open.json"), JSON.stringify(open));
    return execFileSync(process.execPath, [PROGRAM, join(folder, "open.json")], { input, encoding: "utf8" });
  };
  const plan: Partial<Plan> = { arguments: JSON.stringify({ a: HOSTILE }), danger: HOSTILE };

  it("is answered in lines, and steers nothing", () => {
    const out = piped([interrupt({ question: HOSTILE, options: [HOSTILE, "b"] }), approval(plan)], "2\n3\n");
    expect(out).toContain('Decided: [{"type":"answer","response":"b"},{"type":"approve"');
    expect(strayBytes(out)).toEqual([]);
    expect(out).not.toContain("\u001b");
  });

  it("that ends in the middle has decided nothing, and does not hang", () => {
    for (const input of ["", "2\n", "2\n1\n"]) {
      expect(piped([interrupt({ options: ["a", "b"] }), approval()], input)).toContain("Decided: null");
    }
  });
});
