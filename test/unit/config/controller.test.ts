// `controller:` of postel.yaml is `server:` under another name: its keys, its faults, its secrets.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../support/gatewayModules.ts";

const UPSTREAM = "upstreams: [{ id: up, base_url: 'http://127.0.0.1:1/v1' }]\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-controller-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string) {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, UPSTREAM + yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

describe("a controller", () => {
  it("says where the gateway listens, with the defaults of `server:`", () => {
    const written = load("controller: { type: http-server, port: 8080 }\n");
    expect(written.server).toEqual(load("server: { port: 8080 }\n").server);
  });

  it("has keys that are secrets", () => {
    const { secrets } = load("controller: { type: http-server, api_keys: [own-key-1] }\n");
    expect(secrets.reveal()).toContain("own-key-1");
  });

  it.each([
    ["of another type", "controller: { type: mcp-server }\n", /2:21 controller\.type: expected http-server/],
    ["beside a server", "server: { port: 1 }\ncontroller: { type: http-server }\n", /3:13 controller: expected one of/],
    ["open to others without keys", "controller: { type: http-server, host: 0.0.0.0 }\n", /2:40 controller\.host: exp/],
    [
      "with a key that no server has",
      "controller: { type: http-server, prot: 1 }\n",
      /unknown key `prot`; known are host, port/,
    ],
  ])("is refused %s", (_what, yaml, message) => {
    expect(() => load(yaml)).toThrow(message);
  });
});
