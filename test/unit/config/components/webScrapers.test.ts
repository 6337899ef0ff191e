// What a `web-scraper` of the configuration says, and what is wrong with one, in words that say what to write.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../../support/gatewayModules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-scrapers-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(keys: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) {
  const file = join(folder, "postel.yaml");
  const components = [{ id: "reader", type: "web-scraper", ...keys }];
  writeFileSync(
    file,
    JSON.stringify({ upstreams: [{ id: "u", base_url: "http://127.0.0.1:9/v1" }], components, ...more }),
  );
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

describe("a web-scraper", () => {
  it("needs no more than its id", () => {
    expect(load({}).components).toEqual([
      expect.objectContaining({
        type: "web-scraper",
        hosts: undefined,
        robots: "respect",
        userAgent: "Postel",
        maxBytes: 2_097_152,
        bounds: { maxElements: 50_000, maxDepth: 256, parseMs: 5_000 },
        actions: [expect.objectContaining({ tool: "reader", timeoutMs: 30_000 })],
      }),
    ]);
  });

  it("has its hosts in the spelling of addresses", () => {
    const hosts = ["Docs.Example.COM", "*.bücher.example:8443", "[::1]:80", "*", "*:8080"];
    expect(load({ hosts }).components).toEqual([
      expect.objectContaining({
        hosts: [
          { host: "docs.example.com" },
          { host: "*.xn--bcher-kva.example", port: 8_443 },
          { host: "[::1]", port: 80 },
          { host: "*" },
          { host: "*", port: 8_080 },
        ],
      }),
    ]);
  });

  it.each([
    [{ hosts: ["https://example.com"] }, "hosts.0: expected a host such as"],
    [{ hosts: ["ex*mple.com"] }, "hosts.0: expected a host such as"],
    [{ hosts: ["example.com:0"] }, "hosts.0: expected a host such as"],
    [{ hosts: ["example.com:99999"] }, "hosts.0: expected a host such as"],
    [{ hosts: ["user@example.com"] }, "hosts.0: expected a host such as"],
    [{ hosts: [] }, "hosts: expected at least one host, or no `hosts`"],
    [{ except: ["/"] }, "except.0: expected a host such as"],
    [{ hosts: ["169.254.169.254"] }, "hosts.0: 169.254.169.254 is an address of the machine's own link"],
    [{ user_agent: "1.0" }, "user_agent: expected a header's value that begins with a word"],
    [{ untrusted: false }, "untrusted: expected true or nothing: a page is written by anybody"],
    [{ robots: "maybe" }, "robots: expected one of respect, ignore"],
    [{ params: { page: { type: "string" } } }, "params.page: expected a parameter that the action uses (url)"],
    [{ max_bytes: 1 }, "max_bytes: expected a whole number of bytes, 1024 to 33554432"],
    [{ depth: 5 }, "unknown key `depth`"],
  ])("is refused with what to write: %j", (keys, why) => {
    expect(() => load(keys)).toThrow(why);
  });

  it("is a tool of agents and a step of workflows as other components are, in its place too", () => {
    const { agents } = load(
      {},
      {
        agents: [
          { id: "a", tools: [{ component: "reader", name: "look" }] },
          { id: "b", tools: [{ name: "see", component: { type: "web-scraper", hosts: ["example.com"] } }] },
        ],
        workflow: { steps: [{ id: "page", component: "reader", input: { url: "https://example.com/" } }] },
      },
    );
    expect(agents.map(({ tools }) => tools)).toEqual([
      [expect.objectContaining({ tool: "reader", name: "look" })],
      [expect.objectContaining({ tool: "b-see", name: "see" })],
    ]);
  });
});
