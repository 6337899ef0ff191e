// A chat whose other end is a program: lines in, answers out, and nothing else among them.

import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { runPostel } from "../../../support/cli/runPostel.ts";
import { type ChatWorld, echo, startWorld, steady } from "../../../support/cli/startChat.ts";
import { sendError, sendText } from "../../../support/FakeUpstream.ts";

const QUESTION =
  '<tool_call>{"name": "ask_user", "arguments": {"question": "Which city?", "options": ["Paris", "Rome"]}}</tool_call>';

let world: ChatWorld;
beforeEach(async () => {
  world = await startWorld((request, response) => {
    const last = request.body.messages.at(-1)?.content;
    if (last === "fail") sendError(response, 400, "Not that.");
    else if (last === "ask me") sendText(response, QUESTION);
    else echo(request, response);
  }, "[{ id: default, tools: [ask_user] }]");
});
afterEach(() => world.close());

function chat(input: string, ...more: readonly string[]) {
  return runPostel(world.args("--model", "m", ...more), input);
}

describe("postel chat in a pipe", () => {
  it("answers each line in one conversation: the answers on standard output, all else on standard error", async () => {
    const { status, out, err } = await chat("one\n\nof two \\\nlines\n//slash\nsteer \u001b[2J");
    expect([status, out]).toEqual([
      0,
      "You said: one\nYou said: of two \nlines\nYou said: /slash\nYou said: steer \u001b[2J\n",
    ]);
    expect(steady(err)).toBe(
      "· agent default, model m, session SESSION\n· postel chat --config CONFIG --session SESSION goes on with it\n",
    );
    const said = world.upstream.requests.at(-1)?.body.messages.filter(({ role }) => role === "user");
    expect(said?.map(({ content }) => content)).toEqual(["one", "of two \nlines", "/slash", "steer \u001b[2J"]);
  });

  it("says what failed, goes on, and ends with the status of the last turn", async () => {
    const failed = await chat("one\nfail\n");
    expect([failed.status, failed.out]).toEqual([1, "You said: one\n"]);
    expect(failed.err).toMatch(/^failed: .*Not that\./m);
    expect(await chat("fail\none\n")).toMatchObject({ status: 0, out: "You said: one\n" });
  });

  it("never takes a command for words: one that is not there is told with the nearest", async () => {
    const { status, out, err } = await chat("/mod\n/exit now\n/mode loud\n/model n\n/mode normal\n/exit\nnever said\n");
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain("There is no command /mod (did you mean `/mode`?); /help lists them.");
    expect(err).toContain("/exit takes nothing behind it: it leaves; the session is kept.");
    expect(err).toContain("There is no mode loud; there are: normal, agent.");
    expect(world.upstream.requests.filter(({ path }) => path.endsWith("/completions"))).toEqual([]);
  });

  it("says of a server's tool that it is asked about while nobody has agreed to the server's words", async () => {
    const command = JSON.stringify([
      process.execPath,
      join(process.cwd(), "test/support/servers/toyMcp.ts"),
      world.folder,
    ]);
    const toy = `[{ id: toy, type: mcp, tools: [echo], command: ${command} }]`;
    const other = await startWorld(echo, "[{ id: default, tools: [clock, toy] }]", toy);
    const { err } = await runPostel(other.args("--model", "m"), "/tools\n");
    await other.close();
    expect(err).toMatch(/\ntoy.echo {2}asks you first: its server's words are not agreed to yet\n/);
  });

  it("reads the answer to a question off the next line; without one the session waits and the status says so", async () => {
    const answered = await chat("ask me\n2\n");
    expect(answered).toMatchObject({ status: 0, out: "You said: User selected: Rome\n" });
    expect(answered.err).toContain("Which city?\n  1. Paris\n  2. Rome\n");
    const waits = await chat("ask me\n", "--session", "trip");
    expect(waits.status).toBe(9);
    expect(waits.err).toContain("nothing was decided: the session waits");
    const back = await chat("1\n", "--session");
    expect(back).toMatchObject({ status: 0, out: "You said: User selected: Paris\n" });
    expect(back.err).toContain("session trip");
  });

  it("keeps sessions in a folder of this user alone where nobody names a store, and comes back to the last", async () => {
    const state = join(world.folder, "state");
    const flags = ["chat", "--upstream", world.upstream.baseUrl, "--model", "m"];
    const first = await runPostel(flags, "my name is Ada\n", { XDG_STATE_HOME: state });
    expect(first.err).toContain(`sessions are kept in ${join(state, "postel", "postel.db")}; --store names another`);
    expect(first.err).toContain(`postel chat --upstream ${world.upstream.baseUrl} --session `);
    expect(statSync(join(state, "postel")).mode & 0o777).toBe(0o700);
    const back = await runPostel([...flags, "--session"], "and now\n", { XDG_STATE_HOME: state });
    expect(back.err).toContain("› my name is Ada");
    expect(world.upstream.requests.at(-1)?.body.messages.map(({ content }) => content)).toEqual([
      "my name is Ada",
      "You said: my name is Ada",
      "and now",
    ]);
  });

  it.each([
    [["--model", "m", "--agent", "nobody"], 'No agent is called "nobody"'],
    [["--model", "m", "--session", "../x"], "--session: the id must be 1–128 letters"],
    [["--model", "m", "--session"], "There is no session yet"],
  ])("refuses %j", async (flags, message) => {
    const { status, err } = await runPostel(world.args(...flags), "one\n");
    expect([status, err]).toEqual([1, expect.stringContaining(message)]);
  });
});
