// A chat at a terminal: keys pressed, whole screens looked at, and every byte that was written.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type ChatWorld, echo, hang, startWorld } from "../../../support/cli/startChat.ts";
import { sendText } from "../../../support/FakeUpstream.ts";
import { strayBytes } from "../../../support/strayBytes.ts";
import { hasTerminal } from "../../../support/tmux.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const DIM = /\u001b\[2m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
const COLOUR = /\u001b\[\d*m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
const ESCAPE = /\u001b/;

const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31mred\rover \u202egnp\u202c\u2028end";
const CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "17 * 23"}}</tool_call>';
const LONG = `<tool_call>{"name": "calculator", "arguments": {"expression": "${"1 + ".repeat(30)}${"\\u001b[2J"}"}}</tool_call>`;

let world: ChatWorld;
beforeEach(async () => {
  world = await startWorld((request, response) => {
    const last = request.body.messages.at(-1)?.content;
    if (last === "hang") hang(response);
    else if (last === "multiply") sendText(response, `Let me see.\n\n${CALL}`);
    else if (last === "attack") sendText(response, `<think>${HOSTILE}</think>${HOSTILE}\n${LONG}`);
    else echo(request, response);
  });
});
afterEach(() => world.close());

const GREETING = `· agent default, model m, session SESSION
· /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves`;

(hasTerminal ? describe : describe.skip)("postel chat at a terminal", () => {
  it("shows words as they come, a line for a tool with its time, and takes the next line", async () => {
    const chat = await world.open();
    expect(await chat.say("multiply", "391")).toBe(`${GREETING}
› multiply
Let me see.
✓ calculator 17 * 23 · N ms
You said: 391

›`);
    await chat.press("C-d");
    expect(await chat.exit()).toBe(0);
    const left = (await chat.history()).replaceAll("\n", "");
    expect(left).toMatch(/· postel chat --config \S+ --session \w{9} goes on with it/);
  });

  it("gives each thing its line where the terminal is only looked at and lines come from a program", async () => {
    const script = 'printf "multiply\\n" | "$0" src/main.ts "$@"';
    const chat = await world.open([], { argv: ["sh", "-c", script, process.execPath, ...world.args("--model", "m")] });
    expect(await chat.exit()).toBe(0);
    expect(await chat.history()).toMatch(/\nLet me see\.\n✓ calculator 17 \* 23 · \d+ ms\nYou said: 391\n/);
  });

  it("stops an answer by Ctrl-C and keeps the session; what was stopped can be asked again", async () => {
    const chat = await world.open();
    await chat.say("one", "You said: one");
    await chat.type("hang");
    await chat.press("Enter");
    await chat.sees("I begin");
    await chat.press("C-c");
    await chat.sees("· stopped");
    await chat.say("two", "You said: two");
    expect(world.asked().at(-1)).toEqual(["one", "You said: one", "two"]);
    await chat.press("Up", "Up");
    await chat.sees("\n› hang$");
  });

  it("says at an empty prompt how to leave, leaves at the second Ctrl-C, and clears what was written before", async () => {
    const chat = await world.open();
    await chat.sees("\n›$");
    await chat.type("never sent");
    await chat.sees("never sent$");
    await chat.press("C-c");
    await chat.sees("\n›$");
    await chat.press("C-c");
    await chat.sees("Ctrl-C again or Ctrl-D leaves");
    await chat.press("C-c");
    expect(await chat.exit()).toBe(0);
    expect(world.asked()).toEqual([]);
  });

  it("takes pasted lines, and lines behind a backslash, as one message that only Enter sends", async () => {
    const chat = await world.open();
    await chat.sees("\n›$");
    await chat.paste("one\n/exit\nthree\n");
    await chat.sees("› one\n… /exit\n… three\n…$");
    expect(world.asked()).toEqual([]);
    await chat.press("Enter");
    await chat.sees("You said: one[\\s\\S]*›$");
    await chat.type("four\\");
    await chat.press("Enter");
    await chat.sees("› four.\n…$");
    await chat.type("five");
    await chat.press("Enter");
    await chat.sees("You said: four\nfive\n\n›$");
    expect(world.asked().map((messages) => messages.at(-1))).toEqual(["one\n/exit\nthree\n", "four\nfive"]);
    await chat.press("Up");
    await chat.sees("› four\n. five$");
    await chat.press("Enter");
    await chat.sees("You said: four\nfive[\\s\\S]*You said: four\nfive");
  });

  it("is shown on 40 columns, and after they have changed, without a byte that a model or a tool meant for the terminal", async () => {
    const record = join(world.folder, "written");
    const chat = await world.open(["--session", "narrow"], { columns: 40, record });
    expect(
      (await chat.say("attack", "You said")).replace(/(?<=✗ calculator 1 ).*(?= · N ms: ).*/, "…"),
    ).toBe(`· agent default, model m, session narrow
· /help lists the commands, Ctrl-C stops
 an answer, Ctrl-D leaves
› attack
\\u001b]0;owned\\u0007\\u001b[2J\\u009b31mre
d\\u000dover \\u202egnp\\u202c\\u2028end
\\u001b]0;owned\\u0007\\u001b[2J\\u009b31mre
d\\u000dover \\u202egnp\\u202c\\u2028end
✗ calculator 1 …
You said: Error: expected a number, a fu
nction or ( at character 121, before \`\\u
001b\` of the expression.

›`);
    await chat.resize(30, 24);
    await chat.say("one", "You said: one");
    expect(strayBytes(readFileSync(record, "utf8"))).toEqual([]);
    expect(await chat.coloured()).toMatch(DIM);
  });

  it.each([
    ["no colour with NO_COLOR", { NO_COLOR: "1" }, COLOUR],
    ["no escape at all with TERM=dumb", { TERM: "dumb" }, ESCAPE],
  ])("writes %s", async (_, env, escapes) => {
    const record = join(world.folder, "written");
    const chat = await world.open([], { env, record });
    await chat.say("multiply", "391");
    expect(readFileSync(record, "utf8")).not.toMatch(escapes);
  });
});
