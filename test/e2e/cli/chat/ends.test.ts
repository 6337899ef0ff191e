// How a chat ends that somebody else ends, and how one key too many ends it.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { runPostel, startPostel } from "../../../support/cli/runPostel.ts";
import { type ChatWorld, echo, hang, startWorld } from "../../../support/cli/startChat.ts";
import { sendText } from "../../../support/FakeUpstream.ts";
import { until } from "../../../support/runs/runServiceFixtures.ts";
import { hasTerminal } from "../../../support/tmux.ts";

const QUESTION = '<tool_call>{"name": "ask_user", "arguments": {"question": "Which city?"}}</tool_call>';

let world: ChatWorld;
beforeEach(async () => {
  world = await startWorld((request, response) => {
    const last = request.body.messages.at(-1)?.content;
    if (last === "hang") hang(response);
    else if (last === "ask me") sendText(response, QUESTION);
    else echo(request, response);
  }, "[{ id: default, tools: [ask_user] }]");
});
afterEach(() => world.close());

const ENDINGS = [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

describe("a chat in a pipe", () => {
  it.each(ENDINGS)(
    "that gets %s in a turn ends in order, with its status, and lets go of its session",
    async (signal, status) => {
      const child = startPostel([...world.args("--model", "m", "--session", "s")]);
      let err = "";
      child.stderr?.on("data", (piece) => {
        err += String(piece);
      });
      child.stdin?.write("one\nhang\n");
      let out = "";
      child.stdout?.on("data", (piece) => {
        out += String(piece);
        if (out.includes("I begin")) child.kill(signal);
      });
      expect(await once(child, "close")).toEqual([status, null]);
      expect(err).toContain("--session s goes on with it");
      expect(err).not.toContain("Error");
      const next = await runPostel(world.args("--model", "m", "--session", "s"), "two\n");
      expect([next.status, world.asked().at(-1)]).toEqual([0, ["one", "You said: one", "two"]]);
    },
  );
});

(hasTerminal ? describe : describe.skip)("a chat at a terminal", () => {
  it.each(ENDINGS)("that gets %s at its prompt ends in order", async (signal, status) => {
    const chat = await world.open();
    await chat.say("one", "You said: one");
    await chat.signal(signal);
    expect(await chat.exit()).toBe(status);
    expect((await chat.history()).replaceAll("\n", "")).toMatch(/--session \w{9} goes on with it/);
  });

  it.each([
    ["at its prompt", "one", "You said: one\\n\\n›$"],
    ["while it asks", "ask me", "Which city\\?"],
  ])("whose window is closed %s ends in order, and can be come back to", async (_, words, shown) => {
    const log = join(world.folder, "kept.db-wal");
    const chat = await world.open(["--session", "s"]);
    await chat.sees("\n›$");
    await chat.type(words);
    await chat.press("Enter");
    await chat.sees(shown);
    expect(existsSync(log)).toBe(true);
    await chat.close();
    // A store that was closed in order has none.
    await until(() => !existsSync(log), 40_000);
    const back = await world.open(["--session", "s"]);
    await back.sees(words === "one" ? "You said: one\n›$" : "Which city\\?");
  });

  it("that gets SIGTERM while it asks has decided nothing", async () => {
    const chat = await world.open(["--session", "s"]);
    await chat.sees("\n›$");
    await chat.type("ask me");
    await chat.press("Enter");
    await chat.sees("Which city\\?");
    await chat.type("Rome");
    await chat.signal("SIGTERM");
    expect(await chat.exit()).toBe(143);
    const back = await world.open(["--session", "s"]);
    await back.sees("Which city\\?");
    expect(world.asked()).toHaveLength(1);
  });

  it("takes a second Ctrl-C in a turn, once that is stopped, for one at the prompt, and leaves at the third", async () => {
    const chat = await world.open();
    await chat.sees("\n›$");
    await chat.type("hang");
    await chat.press("Enter");
    await chat.sees("I begin");
    await chat.press("C-c");
    await chat.sees("· stopped\n\n›$");
    await chat.press("C-c");
    await chat.sees("Ctrl-C again or Ctrl-D leaves");
    await chat.press("C-c");
    expect(await chat.exit()).toBe(0);
  });
});
