// What models, tools, files and strangers write, shown by every command at a real terminal: no byte of it steers that terminal.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runPostel } from "../support/cli/runPostel.ts";
import { FakeUpstream } from "../support/FakeUpstream.ts";
import { strayBytes } from "../support/strayBytes.ts";
import { hasTerminal, startTerminal, type Terminal } from "../support/tmux.ts";

// Whole processes, on a machine that may be busy.

/** A title, the clipboard, a link, a question that the terminal answers, what was written wiped, turned around and written over. */
const HOSTILE =
  "\u001b]0;own\u0007\u001b]52;c;cm0=\u0007\u001b]8;;http://x/\u001b\\\u009b6n\u001b[c\u001b[2J\u001b[38;5;1m\u202egnp\u2066.\rok\b\u007f\u2028";
/** How its beginning stands where it was made safe. */
const ESCAPED = /\\+u(?:001b|\{1b\})/;

let folder: string;
let upstream: FakeUpstream;
let config: string;
/** The id of one that waits. */
let run: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-hostile-"));
  upstream = await FakeUpstream.start((request, response) => {
    if (request.path === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ id: `m ${HOSTILE}` }] }));
    } else if (request.body.model.startsWith("refused")) {
      response.statusCode = 400;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ error: { message: `no ${HOSTILE}` } }));
    } else {
      response.setHeader("content-type", "text/event-stream");
      const called = request.body.messages.some(({ role }) => role === "tool");
      const call = {
        index: 0,
        id: "c1",
        function: { name: "calculator", arguments: JSON.stringify({ expression: HOSTILE }) },
      };
      const delta = called ? { content: `said ${HOSTILE}` } : { reasoning_content: HOSTILE, tool_calls: [call] };
      const choice = { index: 0, delta, finish_reason: called ? "stop" : "tool_calls" };
      response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
    }
  });
  config = path("postel.yaml");
  const agent = { id: "one", model: "m", system_prompt: `Be ${HOSTILE}`, description: HOSTILE, tools: ["calculator"] };
  const asks = { id: "asks", model: "m", tools: [{ component: "calculator", approval: "always" }] };
  const fake = { id: "fake", type: "openai", base_url: upstream.baseUrl };
  // YAML reads JSON.
  writeFileSync(config, JSON.stringify({ upstreams: [fake], agents: [agent, asks] }));
  writeFileSync(
    path("wrong.yaml"),
    JSON.stringify({ upstreams: [fake], [HOSTILE]: HOSTILE, agents: [{ id: HOSTILE }] }),
  );
  await runPostel(["run", "hello", "--config", config, "--agent", "one", "--record", path("recorded")]);
  await runPostel(["replay", path("recorded"), "--update", "--config", config]);
  const kept = ["--config", config, "--store", path("postel.db")];
  await runPostel(["run", "hello", "--agent", "asks", ...kept]);
  await runPostel(["chat", "--agent", "one", "--session", "s1", ...kept], `hello ${HOSTILE.replace("\r", "")}\n`);
  const { out } = await runPostel(["runs", "--json", "--status", "waiting", ...kept]);
  [, run = ""] = /"id":\s*"([^"]+)"/.exec(out) ?? [];
  for (const name of readdirSync(path("recorded"))) {
    const file = join(path("recorded"), name);
    writeFileSync(file, readFileSync(file, "utf8").replace('"said ', '"not said '));
  }
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

let terminal: Terminal | undefined;
afterAll(async () => await terminal?.close());

async function start(args: readonly string[]): Promise<Terminal> {
  await terminal?.close();
  rmSync(path("written"), { force: true });
  const argv = [process.execPath, "src/main.ts", ...args];
  terminal = await startTerminal({ argv, record: path("written"), env: { XDG_STATE_HOME: folder } });
  return terminal;
}

/** All that reached the terminal, once no more comes. */
async function written(): Promise<string> {
  await terminal?.close();
  return readFileSync(path("written"), "utf8");
}

const CALL = `<tool_call>{"name": "calculator", "arguments": {"expression": ${JSON.stringify(HOSTILE)}}}</tool_call>`;

(hasTerminal ? describe : describe.skip)("at a terminal", () => {
  it.each<[string, () => readonly string[]]>([
    ["run", () => ["run", "hello", "--config", config, "--agent", "one"]],
    ["run, refused", () => ["run", "hello", "--config", config, "--model", `refused ${HOSTILE}`]],
    ["run --json", () => ["run", "hello", "--json", "--config", config, "--agent", "one"]],
    ["run --dry-run", () => ["run", HOSTILE, "--dry-run", "--config", config, "--agent", "one"]],
    ["models", () => ["models", "--config", config]],
    ["models, one", () => ["models", `m ${HOSTILE}`, "--config", config]],
    ["tools, one that is not there", () => ["tools", HOSTILE, "--config", config]],
    ["runs, one", () => ["runs", run, "--config", config, "--store", path("postel.db")]],
    ["runs, the events of one", () => ["runs", run, "--events", "--config", config, "--store", path("postel.db")]],
    ["sessions", () => ["sessions", "--config", config, "--store", path("postel.db")]],
    ["sessions, one", () => ["sessions", "s1", "--config", config, "--store", path("postel.db")]],
    ["tools, of a file that is wrong", () => ["tools", "--config", path("wrong.yaml")]],
    ["validate", () => ["validate", "--config", path("wrong.yaml")]],
    ["agent explain", () => ["agent", "explain", "one", "--config", config]],
    ["replay", () => ["replay", path("recorded"), "--config", config]],
    ["parse", () => ["parse", "--text", `${HOSTILE} ${CALL}`]],
    ["parse --explain", () => ["parse", "--explain", "--text", `${HOSTILE} ${CALL} <tool_call>${HOSTILE}`]],
    ["a command that is none", () => [HOSTILE]],
    ["an option that is none", () => ["run", `--${HOSTILE}`]],
  ])("%s", async (_, args) => {
    const at = await start(args());
    await at.exit();
    const bytes = await written();
    expect(bytes).toMatch(ESCAPED);
    expect(strayBytes(bytes)).toEqual([]);
  });

  it("chat, with what was said before, a tool's arguments to agree to, and an answer", async () => {
    const at = await start([
      "chat",
      "--agent",
      "asks",
      "--session",
      "s1",
      "--config",
      config,
      "--store",
      path("postel.db"),
    ]);
    await at.until(/^› *$/m);
    await at.type("hello");
    await at.press("Enter");
    await at.until("● Reject");
    await at.press("Down", "Down", "Enter");
    await at.until(/said [\s\S]*\n› *$/);
    await at.press("C-d");
    expect(await at.exit()).toBe(0);
    const bytes = await written();
    expect(bytes).toMatch(ESCAPED);
    expect(strayBytes(bytes)).toEqual([]);
  });

  it("serve, of what strangers ask", async () => {
    const at = await start(["serve", "--port", "0", "--config", config]);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await at.until(/127\.0\.0\.1:\d+/)) ?? [];
    const body = JSON.stringify({ model: `m ${HOSTILE}`, messages: [{ role: "user", content: HOSTILE }] });
    await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    createConnection(Number(port), "127.0.0.1").end("GET /\u001b]0;own\u0007\u009b6n HTTP/1.1\r\nhost: x\r\n\r\n");
    await at.until("chat/completions");
    await at.press("C-c");
    await at.exit();
    expect(strayBytes(await written())).toEqual([]);
  });
});
