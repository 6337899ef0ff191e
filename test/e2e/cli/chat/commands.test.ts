// What a person says to the chat itself, and what becomes of the session: at a terminal, whole screens looked at.

import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type ChatWorld, echo, hang, startWorld } from "../../../support/cli/startChat.ts";
import { sendText } from "../../../support/FakeUpstream.ts";
import { until } from "../../../support/runs/runServiceFixtures.ts";
import { hasTerminal } from "../../../support/tmux.ts";

const AGENTS = `[{ id: default, tools: [clock, { tool: calculator, approval: always }, ask_user] }]`;
const QUESTION =
  '<tool_call>{"name": "ask_user", "arguments": {"question": "Which city?", "options": ["Paris", "Rome"]}}</tool_call>';

let world: ChatWorld;
/** Has the model ask that was asked to do it late. */
let ask: () => void;
beforeEach(async () => {
  world = await startWorld((request, response) => {
    const last = request.body.messages.at(-1)?.content;
    if (last === "ask me") sendText(response, QUESTION);
    else if (last === "ask late") ask = () => sendText(response, QUESTION);
    else if (last === "hang") hang(response);
    else echo(request, response);
  }, AGENTS);
});
afterEach(() => world.close());

(hasTerminal ? describe : describe.skip)("a command of the chat", () => {
  it("switches modes, and says what may be called in each", async () => {
    const chat = await world.open();
    expect(await chat.say("/tools")).toMatch(/\/tools\nclock\ncalculator {2}asks you first\nask_user\n›$/);
    expect(await chat.say("/normal")).toMatch(/· answers in words alone\nnormal ›$/);
    expect(await chat.say("/tools", "none in")).toMatch(/\/tools\nnone in the mode normal\nnormal ›$/);
    await chat.say("one", "You said: one");
    expect(world.upstream.requests.at(-1)?.body.tools).toBeUndefined();
    await chat.say("/mode agent");
    await chat.say("two", "You said: two");
    expect(world.upstream.requests.at(-1)?.body.tools).toHaveLength(3);
  });

  it("forgets a session only where that is agreed to, and keeps the one that it leaves", async () => {
    const chat = await world.open(["--session", "first"]);
    await chat.say("one", "You said: one");
    await chat.type("/reset");
    await chat.press("Enter");
    await chat.sees("Forget everything");
    await chat.press("Enter");
    await chat.sees("nothing was forgotten");
    await chat.type("/reset");
    await chat.press("Enter");
    await chat.sees("Forget everything[\\s\\S]*Forget everything");
    await chat.press("Down", "Enter");
    await chat.sees("the session begins anew");
    await chat.say("two", "You said: two");
    expect(world.asked().at(-1)).toEqual(["two"]);
    await chat.say("/new");
    await chat.say("three", "You said: three");
    expect(world.asked().at(-1)).toEqual(["three"]);
    expect(await chat.say("/session", "first {2}two")).toMatch(/\/session\nsession: \w{9}\nfirst {2}two\n›$/);
    expect(await chat.say("/session first", "› two")).toMatch(/\/session first\n› two\nYou said: two\n›$/);
    await chat.press("Up", "Up");
    await chat.sees("› two");
  });

  it("takes the last turn back and asks it again, also one that waits", async () => {
    const chat = await world.open();
    await chat.say("one", "You said: one");
    await chat.say("two", "You said: two");
    await chat.say("/retry", "You said: two");
    expect(world.asked().at(-1)).toEqual(world.asked().at(-2));
    await chat.type("ask me");
    await chat.press("Enter");
    await chat.sees("Which city\\?");
    await chat.press("Escape");
    await chat.sees("nothing was decided");
    await chat.type("/retry");
    await chat.press("Enter");
    await chat.sees("nothing was decided[\\s\\S]*Which city\\?");
    await chat.press("Down", "Enter");
    await chat.sees("User selected: Rome");
    expect(world.asked().at(-1)?.slice(0, 5)).toEqual(["one", "You said: one", "two", "You said: two", "ask me"]);
  });
});

(hasTerminal ? describe : describe.skip)("a session of the chat", () => {
  it("is come back to: what was said last is shown, and what waits is asked at once", async () => {
    const chat = await world.open(["--session", "trip"]);
    await chat.say("hello", "You said: hello");
    await chat.type("ask me");
    await chat.press("Enter");
    await chat.sees("Which city\\?");
    await chat.press("Escape");
    await chat.sees("nothing was decided");
    await chat.press("C-d");
    expect(await chat.exit()).toBe(0);
    const back = await world.open(["--session"]);
    expect(await back.sees("Which city\\?")).toMatch(/session trip\n.*\n› hello\nYou said: hello\n› ask me\n/);
    await back.press("Enter");
    await back.sees("User selected: Paris");
  });

  it("takes no key for an answer that was pressed before the question was there", async () => {
    const chat = await world.open();
    await chat.sees("\n›$");
    await chat.type("ask late");
    await chat.press("Enter");
    await until(() => world.asked().length === 1);
    await chat.press("Down", "Enter");
    ask();
    await chat.sees("● Paris[\\s\\S]*Enter: confirm");
    await chat.press("Escape");
    await chat.sees("nothing was decided");
  });

  it("is one process's at a time, and the other is told", async () => {
    const holder = await world.open(["--session", "held"]);
    await holder.type("hang");
    await holder.press("Enter");
    await holder.sees("I begin");
    const other = await world.open(["--session", "held"]);
    await other.say("two", "Another turn of the session `held` is being taken");
    await holder.press("C-c");
    await holder.sees("stopped");
    await other.say("two", "You said: two");
  });
});
