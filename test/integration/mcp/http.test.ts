// Servers of tools over Streamable HTTP: the reference server as a real process, and one of our own that wants a key, forgets whom it spoke with and breaks off.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { makePlace, type Place, type Served, startServed, until } from "../../support/mcp/mcpGateway.ts";
import { type HttpMcp, startHttpMcp } from "../../support/servers/httpMcp.ts";

let place: Place;
let served: Served | undefined;
let server: HttpMcp | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served?.close();
  await server?.close();
  served = undefined;
  server = undefined;
  place.remove();
});

async function start(url: string, lines = "", env: Record<string, string> = {}): Promise<Served> {
  served = await startServed(place, `  - id: web\n    type: mcp\n    url: ${url}\n${lines}`, { env });
  return served;
}

const ECHO = { name: "web.echo", arguments: { word: "hello" } };

describe("the reference server", () => {
  let child: ChildProcess;
  afterEach(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });

  it("serves agents in both ways of asking", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    await new Promise((closed) => probe.close(closed));
    const file = resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    child = spawn(process.execPath, [file, "streamableHttp"], { env: { PORT: String(port) }, stdio: "ignore" });
    await until(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    );
    const { call, write } = await start(`http://127.0.0.1:${port}/mcp`);
    const [echo, sum] = await call(
      { name: "web.echo", arguments: { message: "hello" } },
      { name: "web.get-sum", arguments: { a: 2, b: 40 } },
    );
    expect(echo).toBe("Echo: hello");
    expect(sum).toMatch(/42/);
    expect(await write({ name: "web.echo", arguments: { message: "written" } })).toContain("Echo: written");
  });
});

describe("a service", () => {
  it("is shown the key of the configuration, which stands nowhere else", async () => {
    server = await startHttpMcp("Bearer tok-4711-abcdef");
    const { call, observed, upstream } = await start(
      server.url,
      '    headers: { authorization: "Bearer ${env.TOKEN}" }\n',
      { TOKEN: "tok-4711-abcdef" },
    );
    expect(await call(ECHO)).toEqual(["echo: hello"]);
    expect(JSON.stringify([observed, upstream.requests])).not.toContain("tok-4711");
  });

  it("that refuses the key is down, with its status", async () => {
    server = await startHttpMcp("Bearer another");
    const { told, offered } = await start(server.url);
    expect(await told("down")).toMatch(/^it answered with the status 401/);
    expect(await offered()).toEqual([]);
  });

  it("that has forgotten the session is greeted again, and the call is made", async () => {
    server = await startHttpMcp();
    const { call } = await start(server.url);
    server.forget();
    expect(await call(ECHO)).toEqual(["echo: hello"]);
    expect(server.heard.filter(({ method }) => method === "initialize")).toHaveLength(2);
  });

  it("that breaks off leaves the outcome of the call unknown at once, and goes on serving", async () => {
    server = await startHttpMcp();
    const { call } = await start(server.url);
    const [result] = await call({ name: "web.cut", arguments: {} });
    expect(result).toMatch(/whether the call had an effect is not known/);
    await until(async () => (await call(ECHO))[0] === "echo: hello");
    expect(server.heard.filter(({ headers, method }) => method === "tools/call" && headers)).not.toEqual([]);
  });

  it("that answers with more than a message may have is not read on", async () => {
    server = await startHttpMcp();
    const { call } = await start(server.url, "    limits: { message_bytes: 10000 }\n");
    const [result] = await call({ name: "web.big", arguments: {} });
    expect(result).toMatch(/^Error: .*a message of more than 10000 bytes/);
    expect(await call(ECHO)).toEqual(["echo: hello"]);
  });
});
