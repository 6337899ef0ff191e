// Servers of tools as postel.yaml writes them: read whole, or refused with what to write.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../../src/core/config/configuration.ts";
import { configFaults } from "../../../support/configFaults.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "postel-mcp-config-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const env = { PATH: "/usr/bin:/bin", TOKEN: "tok-4711-abcdef", SHADE: "teal" };

function load(server: string, tools = "[files]"): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(
    file,
    `upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]
agents: [{ id: a, model: m, tools: ${tools} }]
components: [{ id: files, type: mcp, ${server} }]
`,
  );
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}

describe("a server of tools", () => {
  it("that is a program has its whole environment from the file", () => {
    const { components } = load("command: [sh, -c, serve], env: [SHADE, NOT_SET], tools: [a*], except: [ab]");
    expect(components[0]).toMatchObject({
      connection: {
        type: "stdio",
        command: ["sh", "-c", "serve"],
        cwd: folder,
        env: { PATH: "/usr/bin:/bin", SHADE: "teal" },
      },
      ...{ tools: ["a*"], except: ["ab"], startTimeoutMs: 10_000, timeoutMs: 30_000, maxTimeoutMs: 300_000 },
    });
  });

  it("that is a service has a key that is written nowhere else", () => {
    const config = load('url: "https://mcp.test/mcp", headers: { authorization: "Bearer ${env.TOKEN}" }');
    expect(config.components[0]).toMatchObject({
      connection: { type: "http", url: "https://mcp.test/mcp", headers: { authorization: "Bearer tok-4711-abcdef" } },
    });
    expect(config.secrets.reveal()).toContain("tok-4711-abcdef");
  });

  it.each([
    ["command: [sh], url: http://127.0.0.1:1", "expected one of `command:`, a program that is started, and `url:`"],
    ["tools: [a]", "expected one of `command:`"],
    ["command: [sh], headers: {}", "expected no `headers` beside `command`"],
    ["url: http://127.0.0.1:1, cwd: .", "expected no `cwd` beside `url`"],
    ["command: [no-such-program]", "expected a program that is in PATH"],
    ["command: [sh], cwd: nowhere", "expected an existing folder"],
    [
      'command: [sh], env: { A: "${owner.KEY}" }',
      "placeholders of `env` alone (one server serves all callers) have a meaning",
    ],
    ['url: http://127.0.0.1:1, headers: { a: "${owner.KEY}" }', "`${owner.KEY}` has no meaning here"],
    ["url: http://169.254.169.254/mcp", "components.0.url"],
    ["command: [sh], timeout_ms: 5000, max_timeout_ms: 100", "expected at least `timeout_ms`"],
    ["command: [sh], actions: [{ id: a }, { id: a }]", "expected each tool once"],
    ["command: [sh], tools: []", "expected at least one name of a tool"],
    ["command: [sh], limits: { tool: 3 }", "limits.tool: unknown key"],
  ])("is refused with what to write: %s", (server, words) => {
    expect(configFaults(() => load(server)).join("\n")).toContain(words);
  });
});

describe("an agent's entry", () => {
  it.each([
    ["[files]", { tool: "files", server: "files" }],
    ["[files.read]", { tool: "files.read", server: "files" }],
    ["[{ component: files, action: read, name: look }]", { tool: "files.read", server: "files", name: "look" }],
    ["[{ tool: files, approval: always }]", { tool: "files", server: "files", approval: { type: "always" } }],
  ])("may name a server, or one of its tools: %s", (tools, entry) => {
    expect(load("command: [sh]", tools).agents[0]?.tools).toEqual([expect.objectContaining(entry)]);
  });

  it.each([
    ["[{ component: files, name: look }]", "expected one tool, as in `files.TOOL`"],
    ["[{ component: files.read, action: x }]", "expected no `action`: `files.read` is one tool"],
    ["[file]", "did you mean `files`?"],
  ])("is refused where it could mean nothing: %s", (tools, words) => {
    expect(configFaults(() => load("command: [sh]", tools)).join("\n")).toContain(words);
  });
});
