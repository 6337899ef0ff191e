import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("postel", () => {
  it.each([
    "serve",
    "run",
    "record",
    "chat",
    "parse",
    "replay",
    "validate",
    "models",
    "tools",
    "runs",
    "sessions",
    "data export",
    "data erase",
    "data backup",
    "audit verify",
    "audit head",
    "audit show",
    "audit export",
  ])("shows an example in the help of %s, and takes a configuration", async (command) => {
    const { status, out } = await runPostel([...command.split(" "), "--help"]);
    expect(status).toBe(0);
    expect(out).toContain(`Example:\n  $ postel ${command}`);
    expect(out).toContain("--config <file>");
  });

  it("says in one line that this Node is too old, before it loads what that Node could not read", async () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
    const oldNode = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.18.0'})";
    const { status, out, err } = await runPostel(["--version"], "", { NODE_OPTIONS: `--import=${oldNode}` });
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(/^Postel needs Node 24 or newer; this is Node 20\.18\.0\..*\n$/);
    expect(engines.node).toBe(">=24");
  });

  it("refuses an unknown command", async () => {
    expect(await runPostel(["frobnicate"])).toMatchObject({
      status: 1,
      err: expect.stringContaining("unknown command"),
    });
  });

  it.each([["\u001b[2Jfrobnicate"], ["run", "--\u001b[2J"]])(
    "names what it refuses without obeying it",
    async (...args) => {
      expect((await runPostel(args)).err).toMatch(/^error: unknown .*\\u001b\[2J/);
    },
  );
});

describe("postel validate", () => {
  it("says that the shipped configuration is right", async () => {
    expect(await runPostel(["validate"])).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^ok: .*postel\.yaml/),
    });
  });

  it("names file, line and field of a fault", async () => {
    const file = join(folder, "wrong.yaml");
    writeFileSync(file, "server:\n  prot: 1\nupstreams:\n  - {id: a, type: openai, base_url: 'http://localhost/v1'}\n");
    const { status, err } = await runPostel(["validate", "--config", file]);
    expect(status).toBe(1);
    expect(err).toContain(`${file}:2:`);
    expect(err).toContain("port");
  });
});

describe("postel validate and models that nobody serves", () => {
  it("names each alias and agent whose model is served neither by an upstream nor by another alias", async () => {
    const file = join(folder, "unserved.yaml");
    const upstream = "{id: a, type: openai, base_url: 'http://localhost:1/v1', models: ['qwen*']}";
    const aliases = "aliases: {fast: qwen3, gpt-4o: llama-4}";
    const agents = "agents: [{id: one, model: fast}, {id: two, model: mistral}]";
    writeFileSync(file, `upstreams: [${upstream}]\n${aliases}\n${agents}\n`);
    const { status, err } = await runPostel(["validate", "--config", file]);
    expect(status).toBe(1);
    expect(err.match(/(?<=^\S*unserved\.yaml ).*/gm)).toEqual([
      "aliases.gpt-4o: no upstream and no component serves `llama-4`",
      "model of the agent two: no upstream and no component serves `mistral`",
    ]);
  });
});

describe("postel parse", () => {
  const tools = [{ type: "function", function: { name: "clock", parameters: { type: "object" } } }];
  const call = '<tool_call>{"name": "clock", "arguments": {}}</tool_call>';

  it("shows what a text was read as", async () => {
    const file = join(folder, "tools.json");
    writeFileSync(file, JSON.stringify(tools));
    const { status, out } = await runPostel(["parse", "--tools", file, "--text", `Wait. ${call}`]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      tool_calls: [{ function: { name: "clock", arguments: "{}" } }],
      formats: ["hermes-json"],
    });
  });

  it("explains a text span by span, white space that is dropped made visible, then its calls", async () => {
    const file = join(folder, "explained.json");
    writeFileSync(file, JSON.stringify(tools));
    const { status, out } = await runPostel(["parse", "--explain", "--tools", file, "--text", `Wait.\n\n${call}`]);
    expect(status).toBe(0);
    expect(out).not.toContain("\u001b");
    expect(out).toMatch(/^ +0 {2}content +"Wait\."$/m);
    expect(out).toMatch(/^ +5 {2}dropped +"⏎⏎" {2}white space/m);
    expect(out).toMatch(/^ +7 {2}call .*clock \(hermes-json\)$/m);
    expect(JSON.parse(out.slice(out.indexOf("\n[")))).toMatchObject([{ function: { name: "clock", arguments: "{}" } }]);
  });

  it("explains in colours where it is asked for them", async () => {
    const { out } = await runPostel(["parse", "--explain", "--text", "<think>Hm</think>Yes"], "", { FORCE_COLOR: "1" });
    expect(out).toContain("\u001b[36mHm\u001b[39m");
  });

  it("reads the marks of reasoning that the named model writes, and no others", async () => {
    const text = "[THINK]Hm.[/THINK]Hello.";
    const ask = [{ text }, { text, model: "ministral-3-14b-reasoning-2512" }];
    const { out } = await runPostel(["parse", "--jsonl"], ask.map((one) => JSON.stringify(one)).join("\n"));
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { content: text, reasoning_content: null },
      { content: "Hello.", reasoning_content: "Hm." },
    ]);
  });

  it("answers line by line, in order, bad lines too, and keeps ids", async () => {
    const lines = [
      JSON.stringify({ id: "a", chunks: ["<tool", call.slice(5)], tools }),
      "not json",
      JSON.stringify({ id: 2, text: 7 }),
      "",
      JSON.stringify({ id: "c", text: "plain\u2028text", finish_reason: "length" }),
      JSON.stringify({ id: "d", text: "hm</think>yes", generation_prompt: "<think>\n" }),
    ];
    const { status, out } = await runPostel(["parse", "--jsonl"], lines.join("\n"));
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(status).toBe(0);
    expect(answers).toEqual([
      {
        id: "a",
        content: null,
        reasoning_content: null,
        tool_calls: [{ id: expect.any(String), type: "function", function: { name: "clock", arguments: "{}" } }],
        finish_reason: "tool_calls",
        issues: [],
        formats: ["hermes-json"],
        repairs: [],
      },
      { id: null, error: expect.stringContaining("JSON") },
      { id: 2, error: expect.stringContaining("text") },
      expect.objectContaining({ id: "c", content: "plain\u2028text", tool_calls: [], finish_reason: "length" }),
      expect.objectContaining({ id: "d", content: "yes", reasoning_content: "hm" }),
    ]);
  });

  it("takes tools, model and mode of the command line for lines that say nothing of their own", async () => {
    const file = join(folder, "line-tools.json");
    writeFileSync(file, JSON.stringify(tools));
    const lines = [
      { id: 1, text: call },
      { id: 2, text: call, tools: [] },
    ].map((line) => JSON.stringify(line));
    const { out } = await runPostel(["parse", "--jsonl", "--tools", file, "--tool-mode", "text"], lines.join("\n"));
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { tool_calls: readonly object[] });
    expect(answers.map(({ tool_calls }) => tool_calls.length)).toEqual([1, 0]);
  });

  it("answers ten thousand lines in one go", async () => {
    const input = Array.from({ length: 10_000 }, (_, id) => `${JSON.stringify({ id, text: call, tools })}\n`).join("");
    const { out } = await runPostel(["parse", "--jsonl"], input);
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, id) => id));
  });
});

describe("postel run, record and replay", () => {
  it("answers on standard output and tells of the tools on standard error", async () => {
    const { status, out, err } = await runPostel(["run", "What is 17 times 23?", "--model", "leaked-xml"]);
    expect(status).toBe(0);
    expect(out).toContain("391");
    expect(err).toContain("calculator → 391");
  });

  it("asks the first listed model that answers where none was named, and says which", async () => {
    const upstream = await FakeUpstream.start((request, response) => {
      if (request.path.endsWith("/models"))
        return void response.end(JSON.stringify({ data: [{ id: "words-to-numbers" }, { id: "talker" }] }));
      if (request.body.model === "talker") return sendText(response, "Hello you.");
      sendError(response, 400, `"${request.body.model}" does not support chat`);
    });
    const { status, out, err } = await runPostel(["run", "hi", "--upstream", upstream.baseUrl]);
    await upstream.close();
    expect([status, out]).toEqual([0, "Hello you.\n"]);
    expect(err).toContain("· model: talker");
  });

  it("says so and fails where the model ends without a word", async () => {
    const upstream = await FakeUpstream.start((_request, response) => sendText(response, ""));
    const { status, out, err } = await runPostel(["run", "hi", "--model", "m", "--upstream", upstream.baseUrl]);
    await upstream.close();
    expect([status, out]).toEqual([3, ""]);
    expect(err).toContain("no answer: the model ended its turn without a word");
  });

  it("says what the upstreams say where none lists a model", async () => {
    const { status, err } = await runPostel(["run", "hi", "--upstream", "http://127.0.0.1:1/v1"]);
    expect(status).toBe(1);
    expect(err).toContain("name one with --model.\nhttp://127.0.0.1:1/v1: refused the connection");
  });

  it("says so and fails where the run fails", async () => {
    expect(await runPostel(["run", "x", "--model", "cut-stream"])).toMatchObject({
      status: 1,
      err: expect.stringContaining("failed: "),
    });
  });

  it("finds no difference in the shipped transcripts", async () => {
    expect(await runPostel(["replay", "fixtures/transcripts"])).toMatchObject({
      status: 0,
      out: expect.stringContaining(": 0 differ"),
    });
  });

  it("records a run whose replay gives the same, and reports one that does not", async () => {
    const recordings = join(folder, "recordings");
    await runPostel(["record", recordings, "What is 17 times 23?", "--model", "leaked-xml"]);
    const [name, ...others] = readdirSync(recordings);
    expect(others).toEqual([]);
    const file = join(recordings, String(name));
    const before = await runPostel(["replay", recordings]);
    expect([before.status, before.out]).toEqual([
      1,
      expect.stringMatching(/^unknown .*\n +it has no expectation: .* --update/),
    ]);
    expect(before.out).toContain("0 differ, 1 without an expectation");
    expect((await runPostel(["replay", recordings, "--update"])).status).toBe(0);
    expect((await runPostel(["replay", recordings])).status).toBe(0);
    writeFileSync(file, readFileSync(file, "utf8").replace("17 × 23 = 391.", "17 × 23 = 392."));
    expect(await runPostel(["replay", recordings])).toMatchObject({
      status: 1,
      out: expect.stringContaining("content: expected"),
    });
  });
});
