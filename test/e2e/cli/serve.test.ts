import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "@jest/globals";
import { runPostel, startPostel } from "../../support/cli/runPostel.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";

let child: ChildProcess | undefined;
let upstream: FakeUpstream | undefined;
async function stop(): Promise<void> {
  if (child?.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  child = undefined;
}
afterEach(async () => {
  await stop();
  await upstream?.close();
  upstream = undefined;
});

async function start(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ url: string; upstreams: readonly string[]; curl: string }> {
  child = startPostel(["serve", ...args], env);
  if (!child.stdout) throw new Error("no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = String((await lines.next()).value);
  const url = /http:\/\/\S+/.exec(first)?.[0] ?? "";
  const upstreams: string[] = [];
  for await (const line of lines) {
    if (!line.startsWith("Upstream ")) return { url, upstreams, curl: line };
    upstreams.push(line);
  }
  throw new Error("It ended before it said how to try it.");
}

const ask = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const messages = [{ role: "user", content: "What is 17 times 23?" }];

describe("postel serve", () => {
  it("listens where PORT says, and the line that it prints is a request that works", async () => {
    const { url, curl } = await start([], { PORT: "0" });
    const [, path, body] = /curl (\S+) .*-d '(.*)'$/.exec(curl) ?? [];
    const response = await ask(String(path), JSON.parse(String(body)) as object);
    expect(path).toBe(`${url}/v1/agent`);
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: expect.stringContaining("391") } }],
    });
  });

  it("shows how an agent is asked where one has a model, and not the model of its embeddings", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-serve-"));
    const file = join(folder, "postel.yaml");
    const served = (id: string, name: string) =>
      `  - { id: ${id}, base_url: "http://127.0.0.1:9/v1", models: [${name}] }`;
    const agents = "agents:\n  - { id: any }\n  - { id: librarian, model: talker }";
    writeFileSync(file, ["upstreams:", served("embed", "small"), served("talk", "talker"), agents, ""].join("\n"));
    const { curl } = await start(["--config", file, "--port", "0"]);
    rmSync(folder, { recursive: true });
    expect(curl).toContain('"model":"librarian"');
  });

  it("runs where no text may become code", async () => {
    const { url } = await start(["--port", "0"], { NODE_OPTIONS: "--disallow-code-generation-from-strings" });
    const run = await ask(`${url}/v1/agent`, { model: "leaked-xml", messages });
    expect(await run.json()).toMatchObject({ choices: [{ message: { content: expect.stringContaining("391") } }] });
    const refused = await ask(`${url}/v1/chat/completions`, { model: "leaked-xml", messages: 1 });
    expect(refused.status).toBe(400);
  });

  it("sends every model name to --upstream, with the key that the environment holds", async () => {
    const keys: (string | undefined)[] = [];
    upstream = await FakeUpstream.start(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${chunk("hello", "stop")}data: [DONE]\n\n`);
    });
    const { url } = await start(["--port", "0", "--upstream", upstream.baseUrl, "--upstream-key-env", "MY_KEY"], {
      MY_KEY: "sk-test-key",
    });
    const response = await ask(`${url}/v1/chat/completions`, { model: "anything:7b", messages });
    expect(await response.json()).toMatchObject({ model: "anything:7b", choices: [{ message: { content: "hello" } }] });
    expect(keys.at(-1)).toBe("Bearer sk-test-key");
  });

  it("says how each upstream is", async () => {
    upstream = await FakeUpstream.start((request, response) => {
      if (request.path.startsWith("/v1/")) response.end(JSON.stringify({ data: [{ id: "a" }, { id: "b" }] }));
      else response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
    });
    const base = upstream.baseUrl;
    const answering = await start(["--port", "0", "--upstream", base]);
    expect(answering.upstreams).toEqual([`Upstream upstream at ${base}: answers, 2 models`]);
    expect(answering.curl).toContain('"model":"a"');
    await stop();
    const root = base.replace("/v1", "");
    expect((await start(["--port", "0", "--upstream", root])).upstreams).toEqual([
      `Upstream upstream at ${root}: lists no models, but ${base} does: is that the base URL that was meant?`,
    ]);
    await stop();
    expect((await start(["--port", "0", "--upstream", "http://127.0.0.1:1/v1"])).upstreams).toEqual([
      "Upstream upstream at http://127.0.0.1:1/v1: refused the connection",
    ]);
  });

  it("lets a running stream end, refuses new work meanwhile, and then exits with 0", async () => {
    let finish = (): void => {};
    upstream = await FakeUpstream.start((request, response) => {
      if (request.path.endsWith("/models")) {
        response.end("{}");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("begun "));
      finish = () => response.end(`${chunk("and ended", "stop")}data: [DONE]\n\n`);
    });
    const { url } = await start(["--port", "0", "--upstream", upstream.baseUrl]);
    const running = await ask(`${url}/v1/chat/completions`, { model: "m", messages, stream: true });
    child?.kill("SIGTERM");
    while ((await fetch(`${url}/ready`)).status === 200);
    expect((await ask(`${url}/v1/chat/completions`, { model: "m", messages })).status).toBe(503);
    finish();
    expect(await running.text()).toMatch(/and ended[\s\S]*\[DONE\]/);
    const exited = child && child.exitCode === null ? ((await once(child, "close")) as [number])[0] : child?.exitCode;
    expect(exited).toBe(0);
  });

  it("ends with 1 after a fault outside of any request, but not before its running stream has", async () => {
    let finish = (): void => {};
    upstream = await FakeUpstream.start((request, response) => {
      if (request.path.endsWith("/models")) {
        response.end("{}");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("begun "));
      finish = () => response.end(`${chunk("and ended", "stop")}data: [DONE]\n\n`);
    });
    const fault = "process.on('SIGUSR2',()=>{throw new TypeError('boom')})";
    const { url } = await start(["--port", "0", "--upstream", upstream.baseUrl], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
    });
    let told = "";
    child?.stderr?.on("data", (bytes: Buffer) => {
      told += String(bytes);
    });
    const running = await ask(`${url}/v1/chat/completions`, { model: "m", messages, stream: true });
    child?.kill("SIGUSR2");
    while ((await fetch(`${url}/ready`)).status === 200);
    finish();
    expect(await running.text()).toMatch(/and ended[\s\S]*\[DONE\]/);
    const exited = child && child.exitCode === null ? ((await once(child, "close")) as [number])[0] : child?.exitCode;
    expect([exited, told]).toEqual([
      1,
      expect.stringMatching(/boom[\s\S]*fatal: a fault outside of any request \(TypeError\)/),
    ]);
  });

  it.each([
    [["--upstream", "ftp://x"], "--upstream"],
    [["--upstream", "http://user:secret@localhost/v1"], "without user and password"],
    [["--upstream", "http://localhost:1/v1", "--upstream-key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY"],
    [["--port", "70000"], "65535"],
    [["--port", "0", "--host", "0.0.0.0"], "--host 0.0.0.0: expected a loopback"],
  ])("refuses %j with a word on what is wrong", async (args, word) => {
    expect(await runPostel(["serve", ...args])).toMatchObject({ status: 1, err: expect.stringContaining(word) });
  });

  it("says that a port is taken, and how to choose another", async () => {
    const { url } = await start(["--port", "0"]);
    const { status, err } = await runPostel(["serve", "--port", new URL(url).port]);
    expect([status, err]).toEqual([1, expect.stringMatching(/taken.*--port/)]);
  });
});
