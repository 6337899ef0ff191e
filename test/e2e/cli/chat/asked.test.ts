// What a chat asks of the person at its terminal, and what becomes of the answer: whole screens looked at.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type ChatWorld, echo, startWorld } from "../../../support/cli/startChat.ts";
import { FakeUpstream, sendText } from "../../../support/FakeUpstream.ts";
import { until } from "../../../support/runs/runServiceFixtures.ts";
import { hasTerminal } from "../../../support/tmux.ts";

const called = (name: string, given: object) => `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`;

const CALLS: Readonly<Record<string, string>> = {
  "ask me": called("ask_user", { question: "Which city?" }),
  multiply: called("calculator", { expression: "23 * 3" }),
  wait: called("wait", { for: "rain" }),
};

const GREETING = `· agent default, model m, session SESSION
· /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves`;

const WOULD_RUN = `│
◇  Would run ────────────────────────────────────────────────────────────────╮
│                                                                            │
│  The agent default asks.                                                   │
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
├────────────────────────────────────────────────────────────────────────────╯`;

/** A service that takes what it is asked and says nothing. */
let silent: FakeUpstream;
/** How often its caller has given up. */
let stoppedCalls = 0;
let world: ChatWorld;
beforeAll(async () => {
  silent = await FakeUpstream.start((_, response) => response.once("close", () => (stoppedCalls += 1)));
});
beforeEach(async () => {
  world = await startWorld(
    (request, response) => {
      const call = CALLS[request.body.messages.at(-1)?.content ?? ""];
      if (call === undefined) echo(request, response);
      else sendText(response, call);
    },
    "[{ id: default, tools: [{ tool: calculator, approval: always }, ask_user, { component: sky, name: wait }] }]",
    `[{ id: sky, type: http-client, base_url: "${silent.baseUrl}", actions: [{ id: wait, path: "/wait?for=\${input.for}" }] }]`,
  );
});
afterEach(() => world.close());
afterAll(() => silent.close());

/** A chat in which this was said, and which shows that. */
async function told(words: string, shown: string) {
  const chat = await world.open([], { rows: 60 });
  await chat.sees("\n›$");
  await chat.type(words);
  await chat.press("Enter");
  await chat.sees(shown);
  return chat;
}

(hasTerminal ? describe : describe.skip)("a chat that asks", () => {
  it("takes a free answer, and a blank one for none", async () => {
    const chat = await told("ask me", "Which city\\?");
    await chat.press("Enter");
    await chat.sees("A blank answer is none");
    await chat.type("Rome");
    await chat.press("Enter");
    expect(await chat.sees("Rome[\\s\\S]*\n›$")).toBe(`${GREETING}
› ask me

│
◇  Which city?
│  Rome
✓ ask_user
You said: User answered: Rome

›`);
  });

  it("runs a call as the person has changed it, and the model reads what came of that", async () => {
    const chat = await told("multiply", "● Reject");
    await chat.press("Down", "Enter");
    await chat.sees('"23 \\* 3" }');
    await chat.press("BSpace", "BSpace", "BSpace");
    await chat.type('4" }');
    await chat.press("Enter");
    expect(await chat.sees("You said[\\s\\S]*\n›$")).toBe(`${GREETING}
› multiply

${WOULD_RUN}
│
◇  What shall become of it?
│  Edit the arguments
│
◇  The arguments as JSON.
│  { "expression": "23 * 34" }
✓ calculator 23 * 34 · N ms
You said: A person changed the arguments of this call to {"expression":"23 * 34"
}. With them it brought:

782

›`);
  });

  it("tells the model why a call was rejected, and runs nothing", async () => {
    const chat = await told("multiply", "● Reject");
    await chat.press("Enter");
    await chat.sees("Why not\\?");
    await chat.type("do it in your head");
    await chat.press("Enter");
    expect(await chat.sees("You said[\\s\\S]*\n›$")).toBe(`${GREETING}
› multiply

${WOULD_RUN}
│
◇  What shall become of it?
│  Reject: the model is told
│
◇  Why not? (may stay empty)
│  do it in your head
✗ calculator: this call was not run: a person said no: do it in your head
You said: Error: this call was not run: a person said no: do it in your head

›`);
  });

  it("waits for who leaves it, and comes back by the line that leaving has printed", async () => {
    const chat = await told("ask me", "Which city\\?");
    await chat.press("Escape");
    await chat.sees("nothing was decided");
    await chat.press("C-d");
    expect(await chat.exit()).toBe(0);
    const left = (await chat.history()).replaceAll("\n", "");
    const [, line = ""] = /· postel (chat .*) goes on with it/.exec(left) ?? [];
    const back = await world.enter(line.split(" "));
    await back.sees("Which city\\?");
    await back.type("Rome");
    await back.press("Enter");
    await back.sees("User answered: Rome[\\s\\S]*\n›$");
  });

  it("stops a tool that runs by Ctrl-C, and goes on with the session", async () => {
    const chat = await told("wait", "[-|/\\\\] wait$");
    await chat.press("C-c");
    const stopped = await chat.sees("stopped[\\s\\S]*\n›$");
    expect(stopped.replace(/(?<=N ms: the run was cancelled).*/, "…")).toBe(`${GREETING}
› wait
✗ wait rain · N ms: the run was cancelled…
· stopped

›`);
    await until(() => stoppedCalls === 1, 40_000);
    await chat.say("two", "You said: two");
  });
});
