// A person at a real terminal, the longer ways: long arguments, edits, an editor, terminals without colours or a cursor.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { AskingPlace, decidedAt } from "../support/AskingPlace.ts";
import { approval, PLAN } from "../support/interrupts.ts";
import { hasTerminal } from "../support/tmux.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const COLOURED = /\u001b\[[39]\dm/;

const place = new AskingPlace();
beforeEach(() => place.open());
afterEach(() => place.close());

(hasTerminal ? describe : describe.skip)("a person at a terminal", () => {
  it("approves what was shown whole, and of a long line not before", async () => {
    const at = await place.ask([approval({ arguments: JSON.stringify({ text: "x".repeat(100_000), last: "SEEN" }) })]);
    expect(await at.until("Show all of it")).not.toContain("Approve");
    expect(await at.history()).toMatch(/… 96,\d{3} characters more/);
    await at.press("Down", "Enter");
    expect(await at.until("Approve")).toContain("SEEN");
    await at.press("Down", "Down", "Enter");
    expect(await decidedAt(at)).toEqual([{ type: "approve", plan: PLAN.hash }]);
  });

  it("edits the arguments in a line, is told what is wrong with them, and can go back", async () => {
    const at = await place.ask([approval()]);
    await at.until("Approve");
    await at.press("Down", "Enter");
    await at.until('{ "path": "notes.txt" }');
    await at.press("BSpace");
    await at.press("Enter");
    await at.until("no JSON object");
    await at.press("BSpace");
    await at.type('.old"}');
    await at.press("Enter");
    expect(await decidedAt(at)).toEqual([{ type: "edit", plan: PLAN.hash, arguments: { path: "notes.txt.old" } }]);
  });

  it("edits them in an editor; one that changes nothing, or fails, approves nothing", async () => {
    const editor = join(place.folder, "editor");
    writeFileSync(editor, '#!/bin/sh\ncase "$1" in keep) ;; fail) exit 3 ;; *) sed -i s/notes/other/ "$2" ;; esac\n', {
      mode: 0o755,
    });
    const edit = async (way: string) => {
      const at = await place.ask([approval()], { env: { EDITOR: `${editor} ${way}` } });
      await at.until("Approve");
      await at.press("Down", "Enter");
      return at;
    };
    const kept = await edit("keep");
    await kept.until(/Edit the arguments\n[\s\S]*● Reject/);
    await kept.press("C-c");
    expect(await decidedAt(kept)).toBeNull();
    await kept.close();
    const failed = await edit("fail");
    await failed.until("ended with 3");
    await failed.until("● Reject");
    await failed.press("C-c");
    expect(await decidedAt(failed)).toBeNull();
    await failed.close();
    const changed = await edit("change");
    expect(await decidedAt(changed)).toEqual([{ type: "edit", plan: PLAN.hash, arguments: { path: "other.txt" } }]);
  });

  it("without colours, or with a terminal that moves no cursor, reads and answers the same", async () => {
    const plain = await place.ask([approval({ danger: "It removes all." })], { env: { NO_COLOR: "1" } });
    await plain.until("● Reject");
    expect(await plain.coloured()).not.toMatch(COLOURED);
    await plain.press("C-c");
    await plain.exit();
    await plain.close();
    const dumb = await place.ask([approval()], { env: { TERM: "dumb" } });
    await dumb.until("Number from 1 to 3:");
    await dumb.type("3");
    await dumb.press("Enter");
    expect(await decidedAt(dumb)).toEqual([{ type: "approve", plan: PLAN.hash }]);
    expect(readFileSync(join(place.folder, "written"), "utf8")).not.toContain("\u001b");
  });
});
