// A person at a real terminal: keys pressed, the screen looked at, and every byte that was written.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { InterruptRecord, Plan } from "../../../src/core/runs/interrupts.ts";
import { AskingPlace, decidedAt } from "../../support/AskingPlace.ts";
import { approval, interrupt, PLAN } from "../../support/interrupts.ts";
import { strayBytes } from "../../support/strayBytes.ts";
import { hasTerminal } from "../../support/tmux.ts";

/** What could steer a terminal, answer in a person's place, turn a text around or write over what was there. */
const HOSTILE =
  "rm\u001b]52;c;cm0=\u0007\u001b]8;;http://x/\u001b\\\u001b[2J\u001b[1;1H\u001b[38;5;196m\u009b6n\u001bP+q\u0007\u001b[c \u202egnp\u202c \u2066x\u2069\rls\bx\u007f\u2028";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const RED = /\u001b\[31m[^\n]*It removes all/;

const place = new AskingPlace();
beforeEach(() => place.open());
afterEach(() => place.close());

const reject = { type: "reject", plan: PLAN.hash };

(hasTerminal ? describe : describe.skip)("a person at a terminal", () => {
  it("chooses something else, is asked again for a blank answer, and sees a hostile question as text, on 40 columns", async () => {
    const open = interrupt({ question: `Which? ${HOSTILE}`, options: [`red ${HOSTILE}`, "green"], allowOther: true });
    const at = await place.ask([open], { columns: 40 });
    await at.until("Something else");
    await at.press("Down", "Down", "Enter");
    await at.until("What else?");
    await at.press("Enter");
    await at.until("A blank answer is none");
    await at.type("blue");
    await at.press("Enter");
    expect(await decidedAt(at)).toEqual([{ type: "answer", response: "blue" }]);
    expect(strayBytes(readFileSync(join(place.folder, "written"), "utf8"))).toEqual([]);
    const [asked = ""] = (await at.history()).split("Decided: ");
    // Nothing that was given begins a line: a line of ours cannot be forged.
    expect(asked.split("\n").filter((line) => !/^(?:[│◇├]|$)/.test(line))).toEqual([]);
  });

  it("rejects by a careless Enter, and says why only if there is something to say", async () => {
    const at = await place.ask([
      approval({ danger: `It removes all. ${HOSTILE}`, arguments: JSON.stringify({ a: HOSTILE }) }),
    ]);
    const screen = await at.until("Approve");
    expect(screen).toContain("● Reject");
    expect(screen).toContain("\\u001b]52;c;cm0=\\u0007");
    expect(await at.coloured()).toMatch(RED);
    await at.press("Enter");
    await at.until("Why not?");
    await at.press("Enter");
    expect(await decidedAt(at)).toEqual([reject]);
    expect(strayBytes(readFileSync(join(place.folder, "written"), "utf8"))).toEqual([]);
  });

  it.each(["not ok", "all wrong", "hjkl j"])(
    "approves nothing by words that are written at the list: %s",
    async (words) => {
      const at = await place.ask([approval()]);
      await at.until("Approve");
      await at.type(words);
      await at.press("Enter");
      await at.until("Why not?");
      await at.press("Enter");
      expect(await decidedAt(at)).toEqual([reject]);
    },
  );

  it.each(["Escape", "C-c", "C-d"])("decides nothing by %s, wherever the cursor stands", async (key) => {
    const at = await place.ask([interrupt({ options: ["red", "green"] }), approval()]);
    await at.until("red");
    await at.press("Enter");
    await at.until("Approve");
    await at.press("Down", "Down");
    await at.until("● Approve");
    await at.press(key);
    expect(await decidedAt(at)).toBeNull();
  });
});

describe("a pipe", () => {
  const piped = (open: readonly InterruptRecord[], input: string): string => {
    const [program = "", ...words] = place.program(open);
    return execFileSync(program, words, { input, encoding: "utf8" });
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
