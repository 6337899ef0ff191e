// The picture of a conversation, held against the program: the same session, played and drawn anew.
import { readFileSync } from "node:fs";
import { describe, expect, it, jest } from "@jest/globals";
import { drawChat } from "../../../../scripts/drawChat.ts";
import { drawTerminal } from "../../../../scripts/drawTerminal.ts";
import { hasTerminal } from "../../../support/tmux.ts";

// A whole process, on a machine that may be busy.
jest.setTimeout(300_000);

(hasTerminal ? describe : describe.skip)("docs/chat.svg", () => {
  it("shows what the program shows; where it does not: npm run picture", async () => {
    expect(await drawChat()).toBe(readFileSync("docs/chat.svg", "utf8"));
  });
});

describe("a drawn terminal", () => {
  it("has each run of cells in its column, colour and weight, and markup as text", () => {
    const drawn = drawTerminal({ screen: "ab \u001b[1;32m<c>\u001b[0m\n\u001b[2md", columns: 10, title: "t & u" });
    expect(drawn).toContain("<title>t &amp; u</title>");
    expect(drawn).toContain('<text x="16.0" y="29.5" textLength="16.8" fill="#d8dee9">ab</text>');
    expect(drawn).toContain('textLength="25.2" fill="#6bc46d" font-weight="bold">&lt;c></text>');
    expect(drawn).toContain('<text x="16.0" y="47.5" textLength="8.4" fill="#96a0ac">d</text>');
  });

  it.each(["\u001b[48;5;1mx", "\u001b]0;title\u0007", "\u001b[2J"])("refuses %j, which it cannot draw", (screen) => {
    expect(() => drawTerminal({ screen, columns: 10, title: "t" })).toThrow("cannot be drawn");
  });
});
