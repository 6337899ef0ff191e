// What the image holds, in a plain folder: the Dockerfile's own steps, without Docker and without a registry. Its gateway runs as it does there, with text that never becomes code.

import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { FakeUpstream } from "../support/FakeUpstream.ts";
import { answerEmbeddings } from "../support/servers/embeddings.ts";
import { sendTurn } from "../support/simulateModel.ts";

jest.setTimeout(300_000);

const PACKAGES = fileURLToPath(new URL("../../scripts/packagesOfImage.ts", import.meta.url));
const EVERYTHING = resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

interface Locked {
  readonly version: string;
  readonly integrity?: string;
}

let image: string;
beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), "postel-image-"));
  for (const file of ["package.json", "package-lock.json", "config"])
    cpSync(file, join(image, file), { recursive: true });
  // What `npm ci` of the same lock has put here.
  execFileSync("cp", ["-r", "node_modules/.", join(image, "node_modules")]);
  run(process.execPath, ["scripts/build.ts", join(image, "dist")], ".");
  run(process.execPath, [PACKAGES]);
  run("npm", ["prune", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"]);
});
afterAll(() => rmSync(image, { recursive: true }));

function run(command: string, args: readonly string[], cwd = image): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

describe("the packages of the image", () => {
  const lockOf = (file: string) =>
    (JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Locked> }).packages;

  it("are those that a kind of component needs too, each as it was locked, and none that only develops", () => {
    const locked = lockOf("package-lock.json");
    const installed = Object.entries(lockOf(join(image, "node_modules/.package-lock.json")));
    const otherwise = installed.filter(
      ([path, { version, integrity }]) => locked[path]?.version !== version || locked[path]?.integrity !== integrity,
    );
    expect(otherwise).toEqual([]);
    const names = installed.map(([path]) => path);
    const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { peerDependencies: object };
    expect(names).toEqual(
      expect.arrayContaining(["express", ...Object.keys(peerDependencies)].map((name) => `node_modules/${name}`)),
    );
    expect(names.filter((path) => /typescript|jest|server-everything|biome/.test(path))).toEqual([]);
  });
});

describe("its gateway", () => {
  let page: Server;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    page = createServer((request, response) => {
      if (request.url === "/count") return void response.end('{"count": 5}');
      if (request.url === "/robots.txt") return void response.writeHead(404).end();
      const text = "Twice a day the sea comes in, and twice it goes out. ".repeat(20);
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<!doctype html><title>Tides</title><article><h1>Tides</h1><p>${text}</p></article>`);
    }).listen(0, "127.0.0.1");
    await once(page, "listening");
    const calls = [
      { name: "everything.get-structured-content", arguments: { location: "New York" } },
      { name: "everything.get-tiny-image", arguments: {} },
      { name: "api.count", arguments: {} },
      { name: "shelf.search", arguments: { query: "tides" } },
      { name: "page", arguments: { url: `http://127.0.0.1:${(page.address() as AddressInfo).port}/tides` } },
    ];
    upstream = await FakeUpstream.start((request, response) => {
      if (request.path.endsWith("/embeddings")) return answerEmbeddings(request.body as never, response, 64);
      const isFirst = !JSON.stringify(request.body.messages ?? []).includes("Twice a day");
      const turn = isFirst ? { calls, ...(!request.body.tools && { format: "hermes-json" }) } : { text: "Read." };
      sendTurn(response, turn, false);
    });
  });
  afterAll(async () => {
    page.closeAllConnections();
    page.close();
    await upstream.close();
  });

  it("carries out what components need, though no text becomes code there", async () => {
    const { port } = page.address() as AddressInfo;
    const folder = join(image, "work");
    mkdirSync(folder);
    const config = join(folder, "postel.yaml");
    const paths = { "/count": { get: { operationId: "count", responses: { 200: { description: "A count." } } } } };
    const info = { title: "A shop", version: "1" };
    writeFileSync(join(folder, "api.json"), JSON.stringify({ openapi: "3.1.0", info, paths }));
    writeFileSync(
      config,
      `
store: { file: kept.db }
upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]
components:
  - { id: everything, type: mcp, command: ["${process.execPath}", "${EVERYTHING}", stdio], approval: never, definitions: first_listed }
  - { id: api, type: openapi, document: api.json, base_url: "http://127.0.0.1:${port}" }
  - { id: shelf, type: vector-store, embeddings: { model: embedder } }
  - { id: page, type: web-scraper, hosts: ["127.0.0.1:${port}"] }
agents:
  - { id: default, model: m, tools: [everything, api, shelf, page] }
`,
    );
    const [, ...entrypoint] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(readFileSync("Dockerfile", "utf8"))?.[1] ?? "[]");
    const postel = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [...entrypoint, ...args, "--config", config], { cwd: image }))
        .stdout;
    expect(await postel("run", "Read it.")).toContain("Read.");
    const { tools } = JSON.parse(await postel("tools", "--json")) as {
      tools: readonly { readonly name: string; readonly calls: object }[];
    };
    const called = tools.filter(({ calls }) => Object.keys(calls).length > 0);
    expect(Object.fromEntries(called.map(({ name, calls }) => [name, Object.keys(calls)]))).toEqual({
      "everything.get-structured-content": ["ok"],
      "everything.get-tiny-image": ["ok"],
      "api.count": ["ok"],
      "shelf.search": ["ok"],
      page: ["ok"],
    });
  });
});
