// Servers that know no greeting, since they speak the revision 2026-07-28 alone: the library's own, as real processes over both transports, and programs that speak neither.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { askedIn, decide, readAtLast } from "../../support/mcp/evilGateway.ts";
import { makePlace, type Place, type Served, startServed, until } from "../../support/mcp/mcpGateway.ts";

const NEWER = fileURLToPath(new URL("../../support/servers/newerMcp.ts", import.meta.url));

let place: Place;
let served: Served | undefined;
let child: ChildProcess | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served?.close();
  if (child?.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  served = undefined;
  child = undefined;
  place.remove();
});

/** The lines that say how the server is reached. */
async function way(transport: string): Promise<string> {
  if (transport === "stdio") return `command: ${JSON.stringify([process.execPath, NEWER, place.folder])}`;
  child = spawn(process.execPath, [NEWER, place.folder, "--http"], { stdio: "inherit" });
  const file = join(place.folder, "port");
  await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
  return `url: http://127.0.0.1:${readFileSync(file, "utf8")}/mcp`;
}

async function start(lines: string): Promise<Served> {
  served = await startServed(place, `  - id: newer\n    type: mcp\n    ${lines}`, {
    more: "store: { file: store.db }",
  });
  return served;
}

describe.each(["stdio", "http"])("a server that knows no greeting, over %s", (transport) => {
  it("offers its tools, and is called", async () => {
    const { call, offered } = await start(await way(transport));
    expect(await offered()).toEqual(["echo", "ask", "sample", "routed", "wait", "grow"].map((name) => `newer.${name}`));
    expect(await call({ name: "newer.echo", arguments: { word: "hello" } })).toEqual(["echo: hello"]);
  });

  it("is told what a person says whom it asks in its answer", async () => {
    const gateway = await start(await way(transport));
    const [asked] = askedIn(await gateway.ask({ name: "newer.ask", arguments: {} }));
    expect(asked?.shown).toMatchObject({
      question: "The server newer asks: Which?",
      schema: { properties: { account: { type: "string" } } },
    });
    if (asked) await decide(gateway, asked, { decision: "answer", response: '{"account": "A-17"}' });
    expect(readAtLast(gateway)).toEqual(['{"action":"accept","content":{"account":"A-17"}}']);
  });

  it("is refused what the gateway does for no server: the call fails, and the next does not", async () => {
    const { call } = await start(await way(transport));
    const [sample] = await call({ name: "newer.sample", arguments: {} });
    expect(sample).toContain("sampling");
    expect(await call({ name: "newer.echo", arguments: { word: "hello" } })).toEqual(["echo: hello"]);
  });

  it("is not waited for longer than a call may be silent", async () => {
    const { call } = await start(`${await way(transport)}\n    timeout_ms: 300`);
    const [waited] = await call({ name: "newer.wait", arguments: {} });
    expect(waited).toContain("said nothing for 300 ms");
    expect(await call({ name: "newer.echo", arguments: { word: "hello" } })).toEqual(["echo: hello"]);
  });

  it("is asked again once it says that it lists others", async () => {
    const { call, offered } = await start(await way(transport));
    await call({ name: "newer.grow", arguments: {} });
    await until(async () => (await offered()).includes("newer.second"));
  });
});

describe("a tool whose arguments are wanted in headers too", () => {
  it("is called over standard streams, and refused by its server over HTTP, which the model reads", async () => {
    const call = { name: "newer.routed", arguments: { region: "north" } };
    expect(await (await start(await way("stdio"))).call(call)).toEqual(["routed"]);
    await served?.close();
    const [refusal] = await (await start(await way("http"))).call(call);
    expect(refusal).toMatch(/header/i);
  });
});

describe("a program that refuses the greeting", () => {
  /** Answers each request with this error; what is not given it does not answer. */
  const refusing = (errors: object): string => {
    const code = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const error = ${JSON.stringify(errors)}[method];
      if (error) console.log(JSON.stringify({ jsonrpc: "2.0", id, error }));
    })`;
    return `command: ${JSON.stringify([process.execPath, "-e", code])}`;
  };
  const UNKNOWN = { code: -32_601, message: "No such method" };

  it("and speaks nothing else is down for what it said first", async () => {
    const { told } = await start(refusing({ initialize: UNKNOWN, "server/discover": UNKNOWN }));
    expect(await told("down")).toBe("it refused: No such method.");
  });

  it("has the time of one start for both ways", async () => {
    const began = performance.now();
    const { told } = await start(`${refusing({ initialize: UNKNOWN })}\n    start_timeout_ms: 5000`);
    expect(await told("down")).toBe("it did not answer within 5000 ms.");
    expect(performance.now() - began).toBeLessThan(9_900);
  });

  it("and speaks a revision that the gateway does not is down with its name", async () => {
    const data = { supported: ["2031-01-01"], requested: "2026-07-28" };
    const error = { code: -32_022, message: "Unsupported protocol version", data };
    const { told } = await start(refusing({ initialize: error, "server/discover": error }));
    expect(await told("down")).toContain("2031-01-01");
  });
});
