// A chat at a terminal: keys pressed, whole screens looked at.
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { sendText } from "../../flows/startGateway.ts";
import { hasTerminal, type Terminal } from "../../support/tmux.ts";
import { type ChatWorld, echo, startWorld, steady } from "./startChat.ts";

// Whole processes, on a machine that may be busy.
jest.setTimeout(120_000);

const CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "17 * 23"}}</tool_call>';

let world: ChatWorld;
beforeEach(async () => {
  world = await startWorld((request, response) => {
    const last = request.body.messages.at(-1)?.content;
    if (last === "hang") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "I begin" } }] })}\n\n`);
    } else if (last === "multiply") {
      sendText(response, `Let me see.\n\n${CALL}`);
    } else {
      echo(request, response);
    }
  });
});
afterEach(() => world.close());

/** Words at the prompt, and the screen once it shows this and a prompt again. */
async function say(terminal: Terminal, words: string, answer: string): Promise<string> {
  await terminal.type(words);
  await terminal.press("Enter");
  await terminal.until(answer);
  return steady(await terminal.until(/\n(normal )?›$/));
}

async function open(...given: Parameters<ChatWorld["open"]>): Promise<Terminal> {
  const terminal = await world.open(...given);
  await terminal.until(/^›$/m);
  return terminal;
}

function asked(): readonly (readonly string[])[] {
  const requests = world.upstream.requests.filter(({ path }) => path.endsWith("/completions"));
  return requests.map(({ body }) => body.messages.map(({ content }) => content));
}

const GREETING = `· agent default, model m, session SESSION
· /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves`;

(hasTerminal ? describe : describe.skip)("postel chat at a terminal", () => {
  it("shows words as they come, a line for a tool with its time, and takes the next line", async () => {
    const terminal = await open();
    expect(await say(terminal, "multiply", "391")).toBe(`${GREETING}
› multiply
Let me see.
✓ calculator 17 * 23 · N ms
You said: 391

›`);
    await terminal.press("C-d");
    expect(await terminal.exit()).toBe(0);
    const left = (await terminal.history()).replaceAll("\n", "");
    expect(left).toMatch(/· postel chat --config \S+ --session \w{9} goes on with it/);
  });

  it("stops an answer by Ctrl-C and keeps the session; what was stopped can be asked again", async () => {
    const terminal = await open();
    await say(terminal, "one", "You said: one");
    await terminal.type("hang");
    await terminal.press("Enter");
    await terminal.until("I begin");
    await terminal.press("C-c");
    await terminal.until(/· stopped[\s\S]*\n›$/);
    await say(terminal, "two", "You said: two");
    expect(asked().at(-1)).toEqual(["one", "You said: one", "two"]);
    await terminal.press("Up", "Up");
    await terminal.until(/^› hang$/m);
  });

  it("says at an empty prompt how to leave, leaves at the second Ctrl-C, and clears what was written before", async () => {
    const terminal = await open();
    await terminal.type("never sent");
    await terminal.press("C-c");
    await terminal.until(/^› never sent$|^›$/m);
    await terminal.press("C-c");
    await terminal.until("Ctrl-C again or Ctrl-D leaves");
    await terminal.press("C-c");
    expect(await terminal.exit()).toBe(0);
    expect(asked()).toEqual([]);
  });
});
