// The configuration as an operator meets it: what loads, and what is refused in which words.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { collectSecrets } from "../../../../src/config/load/collectSecrets.ts";
import { type AddressFlags, loadConfig } from "../../../../src/config/load/loadConfig.ts";
import type { Config } from "../../../../src/core/config/configuration.ts";
import { CHAT_TEMPLATES, FORMATS, REASONING } from "../../../../src/formats/specs/lookupTables.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";
import { QUIRKS } from "../../../../src/models/request/quirks.ts";
import { wireOfUrl } from "../../../../src/models/wires/registry.ts";
import { configFaults } from "../../../support/configFaults.ts";
import { LIMITS, SERVER, STORE, TIMEOUTS } from "../../../support/defaults.ts";

const KNOWN = {
  families: new Set(["hermes-json", "qwen3-xml", "react-text"]),
  reasoningMarks: new Set(["think"]),
  wires: new Set(["chatml"]),
  upstreamWires: new Set(["openai"]),
  addressFault: () => undefined,
  hostFault: () => undefined,
  commandFaults: () => [],
  saysPublic: () => true,
  isAllowEntry: () => true,
  quirks: new Set(["merge-system"]),
  tools: new Set(["calculator", "clock", "ask_user"]),
  parseServerUrl: wireOfUrl,
};
const UPSTREAM = "upstreams: [{ id: up, type: openai, base_url: 'http://127.0.0.1:1/v1' }]\n";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(
  yaml: string,
  env: Record<string, string> = {},
  models = "models: []\n",
  flags: AddressFlags = {},
): Config {
  const file = join(folder, "postel.yaml");
  const modelsFile = join(folder, "models.yaml");
  writeFileSync(file, yaml);
  writeFileSync(modelsFile, models);
  return loadConfig({ file, modelsFile, env, known: KNOWN, flags });
}

/** The refusal's faults, the folder left out. */
function faults(yaml: string, env: Record<string, string> = {}, models?: string, flags?: AddressFlags) {
  return configFaults(() => load(yaml, env, models, flags)).map((fault) => fault.replace(`${folder}/`, ""));
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

describe("loadConfig: a file that says little", () => {
  it("gets the documented defaults", () => {
    const config = load(UPSTREAM);
    expect(config.server).toEqual(SERVER);
    expect(config.limits).toEqual(LIMITS);
    expect(config.timeouts).toEqual(TIMEOUTS);
    expect(config.store).toEqual(STORE);
    expect(config.retries.attempts).toBe(3);
    expect(config.upstreams).toEqual([
      {
        type: "server",
        wire: "openai",
        id: "up",
        baseUrl: "http://127.0.0.1:1/v1",
        headers: {},
        models: ["*"],
        parse: "on",
      },
    ]);
  });

  it("is frozen to its leaves", () => {
    const config = load(`${UPSTREAM}agents: [{ id: a, tools: [clock] }]\n`);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.agents[0]?.tools)).toBe(true);
    expect(Object.isFrozen(config.limits.run)).toBe(true);
  });
});

describe("loadConfig: the secrets of a configuration", () => {
  const secretsIn = (yaml: string, env: Record<string, string>): readonly string[] => collectSecrets(load(yaml, env));

  it.each([
    ["an argument of a program", "{ id: it, type: shell, cwd: /tmp, command: [curl, '--key=${env.NAME}'] }"],
    ["an address", "{ id: it, type: http-client, base_url: 'http://a.test/${env.NAME}', path: / }"],
  ])("are the values of variables that are named as keys, in %s too", (_, component) => {
    const found = (name: string) =>
      secretsIn(`${UPSTREAM}components: [${component.replace("NAME", name)}]\n`, { [name]: "first-key" });
    for (const name of ["KEY", "SHOP_API_KEY", "APIKEY", "MAIL_TOKEN", "DB_PASSWORD"])
      expect(found(name)).toEqual(["first-key"]);
    for (const name of ["KEY_FILE", "MONKEY", "SHOP_NAME", "TOKENS"]) expect(found(name)).toEqual([]);
  });

  it("are what came from the environment, wherever it stands, and what is written where a credential stands", () => {
    const yaml = `server: { api_keys: ["own-key-1", "\${env.A}"] }
upstreams:
  - { id: up, type: openai, base_url: "http://h/v1", api_key: "pre-\${env.B}", headers: { X-Api-Key: literal-1, X-Other: "\${env.C}", X-Plain: text-1 } }
components:
  - id: c
    type: http-client
    base_url: http://c
    headers: { Authorization: "Bearer \${env.D}", Cookie: "session=abc123; theme=dark", X-Signed: "Basic \${env.E}" }
    actions:
      - { id: a, method: POST, path: "/\${env.F}/x?account=\${env.G}", body: { pass: "\${env.H}", deep: ["\${env.I}"] } }
`;
    const env = Object.fromEntries([..."ABCDEFGHI"].map((name) => [name, `value-of-${name}`]));
    const secrets = secretsIn(yaml, env);
    expect(secrets).toEqual(
      expect.arrayContaining([...Object.values(env), "own-key-1", "pre-value-of-B", "literal-1", "abc123"]),
    );
    expect(secrets).not.toContain("text-1");
  });

  it("are no hosts, ports, switches, names, prompts and addresses, unless they look like a key", () => {
    const yaml = `server: { host: "\${env.HOST | 'x'}", port: "\${env.PORT | 1}", allow_unauthenticated: "\${env.FLAG | false}" }
upstreams: [{ id: up, type: openai, base_url: "\${env.URL}" }]
agents: [{ id: a, model: "\${env.MODEL}", system_prompt: "\${env.PROMPT}" }]
components:
  - { id: c, type: http-client, base_url: "\${env.HOOK}", headers: { X-Stage: "\${env.STAGE}" }, actions: [{ id: a, path: / }] }
`;
    const env = {
      HOST: "127.0.0.1",
      PORT: "65000",
      FLAG: "true",
      URL: "http://localhost:11434/v1",
      MODEL: "text-embedding-3-large",
      PROMPT: "You help people. Your token is a8f3k2m9x7q1w5e4, keep it.",
      STAGE: "production",
      HOOK: "https://hooks.test/services/T02ABCDEF/Xy12Zw34Vu56Ts78",
    };
    expect(secretsIn(yaml, env)).toEqual(["a8f3k2m9x7q1w5e4", "Xy12Zw34Vu56Ts78"]);
  });
});

describe("loadConfig: the environment", () => {
  it("fills scalars, with the default's type where the whole scalar is one placeholder", () => {
    const yaml = `server: { port: "\${env.PORT | 80}", host: "\${env.HOST | '127.0.0.1'}" }\n${UPSTREAM}`;
    expect(load(yaml).server).toMatchObject({ port: 80, host: "127.0.0.1" });
    expect(load(yaml, { PORT: "8080", HOST: "localhost" }).server).toMatchObject({ port: 8080, host: "localhost" });
  });

  it("cannot change the file's structure, nor start a placeholder of its own", () => {
    const secret = 'x"\nserver: { port: 1 }\n# ${env.OTHER} ${input.a}';
    const yaml = `${UPSTREAM}agents:\n  - id: a\n    system_prompt: \${env.PROMPT}\n`;
    expect(load(yaml, { PROMPT: secret }).agents).toMatchObject([{ systemPrompt: secret }]);
  });

  it.each(["\n", "\r", "\u0000", "\u001b[31m", "\u0085"])(
    "may not put the control %j into a key or a header",
    (control) => {
      const yaml =
        "upstreams:\n  - id: up\n    type: openai\n    base_url: http://h/v1\n    api_key: ${env.KEY}\n    headers:\n      X-Key: ${env.KEY}\n";
      const found = faults(yaml, { KEY: `k3y-value${control}` });
      expect(found).toEqual([
        expect.stringMatching(/^postel\.yaml:5:14 upstreams\.0\.api_key: expected a key in one line .* take them out/),
        expect.stringMatching(/^postel\.yaml:7:14 upstreams\.0\.headers\.X-Key: expected a header value in one line/),
      ]);
      expect(found.join()).not.toContain("k3y-value");
      expect(faults(`server: { api_keys: ["\${env.KEY}"] }\n${UPSTREAM}`, { KEY: `k3y-value${control}` })[0]).toMatch(
        /^postel\.yaml:1:22 server\.api_keys\.0: expected a key in one line/,
      );
    },
  );

  it.each([
    ["http://${env.X}.evil/v1", { X: "good" }],
    ["http://${env.X}.evil/v1", { X: "good/" }],
    ["http://${env.X}@evil/v1", { X: "good" }],
    ["${env.X}.evil/v1", { X: "http://good" }],
    ["${env.X}${env.Y}/v1", { X: "http://good", Y: ".evil" }],
    ["http://good${env.X}/v1", { X: ".evil" }],
    ["http://${env.X}:8080/v1", { X: "good" }],
    ["http://${env.X | localhost}/v1", {}],
    ["http://good:${env.X}/v1", { X: "80@evil" }],
  ])("may not be spliced into the host of %s", (url, env) => {
    const [found, ...more] = faults(`upstreams:\n  - id: up\n    type: openai\n    base_url: ${url}\n`, env);
    expect(more).toEqual([]);
    expect(found).toMatch(
      /^postel\.yaml:4:15 upstreams\.0\.base_url: expected (a host that is written out or|an http)/,
    );
  });

  it.each([
    ["${env.X}", { X: "http://good.test:1/v1" }, "http://good.test:1/v1"],
    ["${env.X | 'http://other.test/v1'}", {}, "http://other.test/v1"],
    ["${env.X}/v1", { X: "http://good.test" }, "http://good.test/v1"],
    ["http://good.test/${env.X}", { X: "v1" }, "http://good.test/v1"],
    ["http://good.test:${env.X}/v1", { X: "8080" }, "http://good.test:8080/v1"],
  ])("may give the whole address, the port or the path of %s", (url, env, expected) => {
    const yaml = `upstreams:\n  - id: up\n    type: openai\n    base_url: ${url}\n`;
    expect(load(yaml, env as Record<string, string>).upstreams[0]).toMatchObject({ baseUrl: expected });
  });

  it("keeps digits of a secret a text", () => {
    const yaml = "upstreams:\n  - { id: up, type: openai, base_url: 'http://h/v1', api_key: '${env.KEY}' }\n";
    expect(load(yaml, { KEY: "0123" }).upstreams[0]).toMatchObject({ apiKey: "0123" });
  });

  it("is refused where a variable without default is unset or empty, with its line", () => {
    const yaml = "upstreams:\n  - id: up\n    type: openai\n    base_url: http://h/v1\n    api_key: ${env.KEY}\n";
    const expected =
      "postel.yaml:5:14 upstreams.0.api_key: the environment variable KEY is not set; set it, or write a default: ${env.KEY | default}";
    expect(faults(yaml)).toEqual([expected]);
    expect(faults(yaml, { KEY: "" })).toEqual([expected]);
  });

  it("is not looked up through a prototype", () => {
    expect(faults(`${UPSTREAM}server: { host: "\${env.constructor}" }\n`)[0]).toContain("constructor is not set");
  });

  it("never shows a value in a refusal", () => {
    const yaml = "upstreams: [{ id: up, type: openai, base_url: '${env.URL}' }]\nserver: { port: '${env.PORT}' }\n";
    const text = faults(yaml, { URL: "hunter2", PORT: "s3cret" }).join("\n");
    expect(text).not.toMatch(/hunter2|s3cret/);
    expect(text).toContain("upstreams.0.base_url: expected an http:// or https:// URL");
    expect(text).toContain("server.port: expected a whole number, 0 to 65535");
  });
});

describe("aliases", () => {
  it("come in the order of the file, each with the model that it stands for", () => {
    const config = load(`${UPSTREAM}aliases: { "claude-*": qwen3, gpt-4o: qwen3, default: Org/Other }\n`);
    expect(config.aliases).toEqual([
      { pattern: "claude-*", model: "qwen3" },
      { pattern: "gpt-4o", model: "qwen3" },
      { pattern: "default", model: "Org/Other" },
    ]);
  });

  it("that stand for aliases are refused with the names; one that covers its own model is not", () => {
    expect(faults(`${UPSTREAM}aliases:\n  fast: gpt-4o\n  "gpt-*": qwen3\n  "qwen*": qwen3\n`)).toEqual([
      "postel.yaml:3:9 aliases.fast: expected the name of a model; `gpt-4o` is itself an alias (`gpt-*`), of `qwen3`",
    ]);
  });

  it("are names in lower case for one model each", () => {
    expect(faults(`${UPSTREAM}aliases:\n  GPT-4o: qwen3\n  a: "qwen*"\n`)).toEqual([
      "postel.yaml:3:11 aliases.GPT-4o: expected a name pattern in lower case without spaces, `*` for anything",
      "postel.yaml:4:6 aliases.a: expected the name of one model, without `*`",
    ]);
  });
});

describe("loadConfig: a wrong file", () => {
  it("is refused with file, line, column, field and expectation, all faults at once", () => {
    const yaml = [
      "server:",
      "  port: eighty",
      "upstreams:",
      "  - id: up",
      "    type: openai",
      "    base_ulr: http://h/v1",
      "limits:",
      "  max_corrections: 99",
    ].join("\n");
    expect(faults(yaml)).toEqual([
      "postel.yaml:2:9 server.port: expected a whole number, 0 to 65535",
      "postel.yaml:4:5 upstreams.0.base_url: is missing; expected an http:// or https:// URL",
      "postel.yaml:6:5 upstreams.0.base_ulr: unknown key `base_ulr` (did you mean `base_url`?)",
      "postel.yaml:8:20 limits.max_corrections: expected a whole number of attempts, 0 to 10",
    ]);
  });

  it("refuses `fallbacks` of an agent, which no version uses yet", () => {
    expect(faults(`${UPSTREAM}agents:\n  - { id: a, model: m, fallbacks: [n] }\n`)).toEqual([
      expect.stringContaining(
        "agents.0.fallbacks: is not supported yet: no version asks another model; remove the key",
      ),
    ]);
  });

  it("names the known keys where none is near", () => {
    expect(faults(`${UPSTREAM}include: ../other.yaml\n`)).toEqual([
      "postel.yaml:2:1 include: unknown key `include`; known are server, controller, upstreams, aliases, models, components, agents, workflow, workflows, egress, owners, danger, limits, retries, timeouts, store, audit, memory, runs, webhooks",
    ]);
  });

  it.each([
    ["server: { max_held_bytes: 1024 }", "the key `max_held_bytes` is now `max_buffered_bytes`; rename it"],
    ["timeouts: { reader_ms: 1000 }", "the key `reader_ms` is now `client_stall_ms`; rename it"],
    ["limits: { reasks: 1 }", "the key `reasks` is now `max_corrections`; rename it"],
    ["limits: { calls_handed_over: 9 }", "the key `calls_handed_over` is now `max_client_calls`; rename it"],
    ["store: { most: { runs: 9 } }", "the key `most` is now `retention.max`; rename it"],
  ])("names the new key for a renamed one: %s", (section, message) => {
    expect(faults(`${UPSTREAM}${section}\n`)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ["limits", "max_tool", "max_tools"],
    ["limits", "maxTools", "max_tools"],
    ["timeouts", "connect_sm", "connect_ms"],
    ["retries", "attemps", "attempts"],
    ["server", "api-keys", "api_keys"],
  ])("names the near miss in %s: %s", (section, wrong, right) => {
    expect(faults(`${UPSTREAM}${section}: { ${wrong}: 1 }\n`)[0]).toContain(`did you mean \`${right}\`?`);
  });

  it("is refused for a key that stands twice", () => {
    expect(faults(`${UPSTREAM}limits:\n  max_corrections: 1\n  max_corrections: 2\n`)).toEqual([
      "postel.yaml:4:3: the key `max_corrections` stands here a second time; keep one",
    ]);
  });

  it.each(["0", "10mb", "-1", "1.5", "null", "[]"])("never reads a limit of %s as no limit", (value) => {
    expect(faults(`${UPSTREAM}limits: { max_tools: ${value} }\n`)[0]).toContain("expected a whole number of tools");
  });

  it("says what to do about a bare number where a text is wanted", () => {
    expect(faults(`${UPSTREAM}agents: [{ id: a, model: 1.10 }]\n`)[0]).toContain(
      "agents.0.model: expected a model name",
    );
  });

  it("is refused where it is empty, missing, or no mapping", () => {
    expect(faults("")[0]).toContain("upstreams: expected at least one upstream, or a component");
    expect(faults("- a\n")).toHaveLength(1);
    const missing = { file: join(folder, "none.yaml"), modelsFile: join(folder, "none2.yaml"), env: {}, known: KNOWN };
    expect(() => loadConfig(missing)).toThrow(/none\.yaml: the file does not exist/);
  });

  it.each([
    ["an alias bomb", `a: &a [x]\nb: [*a, *a]\n${UPSTREAM}`, "aliases are not supported"],
    ["a hundred thousand brackets", "[".repeat(100_000), "at most 64 levels"],
    ["a hundred thousand dashes", "- ".repeat(100_000), "at most 64 levels"],
    ["a file of a megabyte", "#".repeat(1_100_000), "longer than"],
    ["a binary tag", `server: { host: !!binary AAAA }\n${UPSTREAM}`, "server.host: only the YAML tags"],
    ["a tag", `server: !thing {}\n${UPSTREAM}`, "Unresolved tag"],
    ["a prototype key", `__proto__: {}\n${UPSTREAM}`, "reserved"],
    ["broken syntax", "server: [\n", "must be"],
    ["two documents", `${UPSTREAM}---\n${UPSTREAM}`, "expected one document"],
  ])("is refused in no time for %s", (_, yaml, words) => {
    const lines = faults(yaml);
    expect(lines.join("\n")).toContain(words);
    expect(lines[0]).toMatch(/^postel\.yaml:\d+:\d+/);
  });
});

describe("loadConfig: the bind address", () => {
  it.each(["0.0.0.0", "::", "192.168.1.5", "127.0.0.1.example.com"])("%s is refused without keys", (host) => {
    expect(faults(`server:\n  host: "${host}"\n${UPSTREAM}`)[0]).toMatch(
      /^postel\.yaml:2:9 server\.host: expected a loopback/,
    );
  });

  it("of the command line is held to the same rule, and goes before the file's", () => {
    const open = `server: { host: 0.0.0.0 }\n${UPSTREAM}`;
    expect(faults(UPSTREAM, {}, undefined, { host: "0.0.0.0" })).toEqual([
      expect.stringMatching(/^--host 0\.0\.0\.0: expected a loopback/),
    ]);
    const { server } = load(open, {}, undefined, { host: "127.0.0.1", port: 9 });
    expect(server).toMatchObject({ host: "127.0.0.1", port: 9 });
  });

  it("may be any with a key, of which only the digest is kept", () => {
    const config = load(`server: { host: 0.0.0.0, api_keys: ["\${env.KEY}", ""] }\n${UPSTREAM}`, { KEY: "top-secret" });
    expect(config.server.apiKeys).toEqual([{ name: "key-1", can: ["ask", "decide"], digest: digestOf("top-secret") }]);
    expect(JSON.stringify(config)).not.toContain("top-secret");
  });

  it("may name the callers who hold the keys; a plain key is named after its place, empty ones counted", () => {
    const config = load(
      `server: { api_keys: ["", "plain-key", { name: alice, key: "\${env.KEY}" }, { name: bob, key: "" }] }\n${UPSTREAM}`,
      { KEY: "top-secret" },
    );
    expect(config.server.apiKeys).toEqual([
      { name: "key-2", can: ["ask", "decide"], digest: digestOf("plain-key") },
      { name: "alice", can: ["ask", "decide"], digest: digestOf("top-secret") },
    ]);
    expect(collectSecrets(config)).toEqual(expect.arrayContaining(["top-secret", "plain-key"]));
    const renamed = load(`server: { api_keys: [{ name: "\${env.NAME}", key: "k-e-y-1" }] }\n${UPSTREAM}`, {
      NAME: "alice",
    });
    expect(collectSecrets(renamed)).toEqual(["k-e-y-1"]);
  });

  it("may be several of one caller, each with its own rights", () => {
    const keys =
      "[{ name: alice, key: old-key, can: [ask] }, { name: alice, key: new-key, can: [ask, decide, admin] }]";
    const { apiKeys } = load(`server: { api_keys: ${keys} }\n${UPSTREAM}`).server;
    expect(apiKeys.map(({ name, can }) => [name, ...can])).toEqual([
      ["alice", "ask"],
      ["alice", "ask", "decide", "admin"],
    ]);
  });

  it.each([
    [
      '["a-key", { name: key-1, key: b-key }]',
      /server\.api_keys\.0: expected a name; without one this key is called key-1, as another is/,
    ],
    [
      "[{ name: alice, key: one-key }, { name: bob, key: one-key }]",
      /server\.api_keys\.1: expected a key that no other entry has/,
    ],
    ['[{ name: "a b", key: b-key }]', /server\.api_keys\.0\.name: expected an id/],
    ["[{ nam: alice, key: b-key }]", /server\.api_keys\.0: expected a key, or an object of a `name` and a `key`/],
    ["[17]", /server\.api_keys\.0: expected a key, or an object/],
  ])("may not name its callers so: %s", (keys, expected) => {
    expect(faults(`server: { api_keys: ${keys} }\n${UPSTREAM}`)).toEqual([expect.stringMatching(expected)]);
  });

  it("is not opened by an empty key, but by the operator's word", () => {
    expect(faults(`server: { host: 0.0.0.0, api_keys: [""] }\n${UPSTREAM}`)).toHaveLength(1);
    expect(load(`server: { host: 0.0.0.0, allow_unauthenticated: true }\n${UPSTREAM}`).server.host).toBe("0.0.0.0");
  });
});

describe("upstreams", () => {
  it("resolve recorded folders from the file's own folder", () => {
    mkdirSync(join(folder, "tapes"));
    const config = load("upstreams: [{ id: r, type: recorded, transcripts: tapes }]\n");
    expect(config.upstreams).toEqual([{ type: "recorded", id: "r", transcripts: join(folder, "tapes") }]);
  });

  it.each([
    ["[{ id: r, type: recorded, transcripts: nowhere }]", "upstreams.0.transcripts: expected an existing folder"],
    ["[{ id: r, type: anthropic }]", "upstreams.0.type: expected a `type:` of server or recorded"],
    ["[{ id: r, typ: openai }]", "unknown key `typ` (did you mean `type`?)"],
    ["[{ id: r, type: openai, base_url: 'http://user:pw@h/v1' }]", "without user"],
    ["[{ id: r, type: openai, base_url: 'file:///etc' }]", "expected an http:// or https:// URL"],
    ["[{ id: r, wire: telex, base_url: 'http://h/v1' }]", "upstreams.0.wire: expected one of openai"],
    [
      "[{ id: r, base_url: 'http://h/v1', api_version: 'May 2025' }]",
      "upstreams.0.api_version: expected a version such",
    ],
    ["[]", "expected at least one upstream"],
  ])("%s is refused", (yaml, words) => {
    expect(faults(`upstreams: ${yaml}\n`).join("\n")).toContain(words);
  });

  it("may not share an id", () => {
    const yaml =
      "upstreams:\n  - { id: a, type: openai, base_url: 'http://h' }\n  - { id: a, type: openai, base_url: 'http://h' }\n";
    expect(faults(yaml)).toEqual(["postel.yaml:3:11 upstreams.1.id: expected an id that is not taken; `a` is"]);
  });
});

describe("loadConfig: model rows", () => {
  it("keep only what they say", () => {
    const models =
      'models: [{ match: ["x*"], tools: text, reasoning: { marks: think }, sampling: { top_p: 0.5 }, why: seen }]\n';
    expect(load(UPSTREAM, {}, models).models).toEqual([
      { match: ["x*"], tools: "text", reasoning: { marks: "think" }, sampling: { topP: 0.5 }, why: "seen" },
    ]);
  });

  it("are refused in their own file for unknown names and without a reason", () => {
    const models = 'models:\n  - match: ["X"]\n    emulate: hermes-jsn\n    quirks: [fly]\n';
    expect(faults(UPSTREAM, {}, models)).toEqual([
      "models.yaml:2:13 models.0.match.0: expected a name pattern in lower case without spaces, `*` for anything",
      "models.yaml:3:14 models.0.emulate: expected a known format family (did you mean `hermes-json`?)",
      "models.yaml:4:14 models.0.quirks.0: expected a known quirk; known are merge-system",
      "models.yaml:2:5 models.0.why: is missing; expected the reason for this row, with its source",
    ]);
  });

  it("of the operator stand apart from the shipped ones", () => {
    const config = load(`${UPSTREAM}models: [{ match: [mine], why: ours }]\n`);
    expect(config.operatorModels).toEqual([{ match: ["mine"], why: "ours" }]);
    expect(config.models).toEqual([]);
  });
});

describe("loadConfig: the store", () => {
  it("lies beside the file that names it", () => {
    const { store } = load(`${UPSTREAM}store: { file: kept/postel.db, max_bytes: 1048576, keep: { runs: 2d } }\n`);
    expect(store).toMatchObject({ file: join(folder, "kept/postel.db"), maxBytes: 1_048_576 });
    expect(store.keepMs).toEqual({ ...STORE.keepMs, runs: 172_800_000 });
  });

  it.each(["2", "2h", "0d", "36501d", "-1d", "1.5d", '""'])("is kept for no time that nobody can mean: %s", (time) => {
    expect(faults(`${UPSTREAM}store: { keep: { events: ${time} } }\n`)[0]).toContain(
      "store.keep.events: expected days",
    );
  });

  it.each([
    "file: ''",
    "max_bytes: 1",
    "retention: { max: { memories: -1 } }",
    "retention: { max: { events: 999 } }",
    "file: '${input.x}'",
    "path: a.db",
  ])("is not taken as %s", (fields) => {
    expect(faults(`${UPSTREAM}store: { ${fields} }\n`)).toHaveLength(1);
  });
});

describe("loadConfig: the audit", () => {
  it("is what is written, with a file beside the configuration's own", () => {
    const { audit } = load(`${UPSTREAM}store: { file: a.db }\naudit: { file: a.jsonl, keep: 2d, results: whole }\n`);
    const written = { file: join(folder, "a.jsonl"), keepMs: 172_800_000, arguments: "whole", results: "whole" };
    expect(audit).toEqual(written);
  });

  it.each([
    ["file: a.jsonl", /audit\.file: expected `store\.file` beside it/],
    ["arguments: some", /audit\.arguments: expected one of whole, hashed, none/],
    ["keep: forever", /audit\.keep: expected days/],
    ["enabled: perhaps", /audit\.enabled: expected true or false/],
  ])("is not taken as %s", (fields, words) => {
    expect(faults(`${UPSTREAM}audit: { ${fields} }\n`)).toEqual([expect.stringMatching(words)]);
  });
});

describe("owners", () => {
  const OWNERS = (name: string, credentials: string) =>
    `${UPSTREAM}owners: { ${name}: { credentials: { ${credentials} } } }\n`;

  it("have credentials that are to be seen nowhere in the configuration", () => {
    const config = load(OWNERS("local", 'CRM: "${env.CRM}"'), { CRM: "s3cret-of-local" });
    expect(config.credentials.scopeFor("local", ["${owner.CRM}"])).toEqual({ CRM: "s3cret-of-local" });
    expect(`${JSON.stringify(config)}${inspect(config, { depth: 9, showHidden: true })}`).not.toContain("s3cret-of");
    expect(collectSecrets(config)).toContain("s3cret-of-local");
  });

  it.each([
    ["somebody", "CRM: abcdefgh", "owners.somebody: expected a caller: local"],
    ["local", "CRM: short", "owners.local.credentials.CRM: expected a credential of 6 characters or more"],
    ["local", '"a b": abcdefgh', "owners.local.credentials"],
  ])("are refused as %s: { %s }", (name, credentials, message) => {
    expect(faults(OWNERS(name, credentials))).toEqual([expect.stringContaining(message)]);
  });

  it("are callers with keys of their own, where there are keys", () => {
    const keys = "server: { api_keys: [{ name: ann, key: k-of-ann-1 }] }\n";
    expect(load(`${keys}${OWNERS("ann", "CRM: abcdefgh")}`).credentials.has("CRM")).toBe(true);
    expect(faults(`${keys}${OWNERS("bob", "CRM: abcdefgh")}`)).toEqual([expect.stringContaining("a caller: ann")]);
  });
});

describe("agents", () => {
  it("take limits from `limits.run` where they name none, and sampling in the house's spelling", () => {
    const yaml = `${UPSTREAM}limits: { run: { timeout_ms: 5000 } }\nagents: [{ id: a, tools: [clock], max_iterations: 3, temperature: 0.2 }]\n`;
    const said = {
      tools: [{ tool: "clock" }],
      sampling: { temperature: 0.2 },
      limits: { ...LIMITS.run, maxTurns: 3, timeoutMs: 5000 },
      course: {},
    };
    expect(load(yaml).agents).toEqual([
      { id: "a", ...said, conversation: { maxMessages: 20 }, actions: [{ id: "__default__", ...said }] },
    ]);
  });

  it("may use what their `budget` says, in the place of `limits.run`, and the lesser of its minutes and `timeout_ms`", () => {
    const yaml = `${UPSTREAM}agents: [{ id: a, timeout_ms: 600000, budget: { tokens: 500, calls: 2, money: 0.5, minutes: 1.5 } }]\n`;
    expect(load(yaml).agents[0]?.limits).toEqual({
      ...LIMITS.run,
      timeoutMs: 90_000,
      totalTokens: 500,
      maxCalls: 2,
      maxMoney: 0.5,
    });
    expect(faults(`${UPSTREAM}agents: [{ id: a, budget: { money: 0 } }]\n`)).toHaveLength(1);
    expect(faults(`${UPSTREAM}agents: [{ id: a, budget: { dollars: 1 } }]\n`)).toHaveLength(1);
  });

  it("may only name tools that exist", () => {
    expect(faults(`${UPSTREAM}agents: [{ id: a, tools: [calculater] }]\n`)).toEqual([
      "postel.yaml:2:27 agents.0.tools.0: expected a built-in tool or a component's id (did you mean `calculator`?)",
    ]);
  });
});

describe("components", () => {
  const component = (action: string, extra = "") =>
    `${UPSTREAM}components:\n  - id: search\n    type: http-client\n    base_url: https://api.example.com/v1/${extra}\n    actions:\n      - id: find\n        ${action}\n`;

  it("keep their placeholders, and fill the environment in", () => {
    const yaml = `${component(
      'method: POST\n        path: /s/${input.id}\n        body: { key: "${env.K}", n: "${input.n | 5}", t: "a ${env.K} ${input.t}" }\n        output: ${response.results}',
      "\n    headers: { X-Key: 'k ${env.K}' }",
    )}agents: [{ id: a, tools: [search] }]\n`;
    const config = load(yaml, { K: "v ${input.evil}" });
    expect(config.components).toEqual([
      {
        type: "http-client",
        id: "search",
        description: "The HTTP service search.",
        baseUrl: "https://api.example.com/v1",
        headers: { "x-key": "k v $${input.evil}" },
        actions: [
          {
            id: "find",
            tool: "search",
            headers: {},
            method: "POST",
            path: "/s/${input.id}",
            body: { key: "v $${input.evil}", n: "${input.n | 5}", t: "a v $${input.evil} ${input.t}" },
            output: "${response.results}",
            params: {},
          },
        ],
      },
    ]);
    expect(config.agents[0]?.tools).toEqual([{ tool: "search" }]);
  });

  it("may carry the keys of their one action themselves", () => {
    const yaml = `${UPSTREAM}components:\n  - { id: search, type: http-client, base_url: "http://x.test", path: "/s", query: { q: "\${input.q}" }, timeout_ms: 500, headers: { X-A: "\${context.a}" } }\nagents: [{ id: a, tools: [search] }]\n`;
    expect(load(yaml).components).toMatchObject([
      {
        headers: { "x-a": "${context.a}" },
        actions: [{ id: "__default__", tool: "search", path: "/s", query: { q: "${input.q}" }, timeoutMs: 500 }],
      },
    ]);
  });

  it.each([
    ["path: /a", "\n    path: /b", "components.0.path: expected in the entry of `actions` that it belongs to"],
    [
      "path: /a\n        retries: 1\n        method: POST",
      "",
      "actions.0.retries: expected none, or `idempotent: true`",
    ],
    ["path: /a\n        redirects: 1\n        method: POST", "", "actions.0.redirects: expected none"],
    ["path: /a\n        redirects: 6", "", "actions.0.redirects: expected a whole number of redirects, 0 to 5"],
    ["path: /a\n        form: { a: 1 }", "", "actions.0.form: expected no form"],
    ["path: /a\n        method: POST\n        body: {}\n        form: { a: 1 }", "", "actions.0.form: expected one of"],
    ["path: '/${owner.KEY}'", "", "actions.0.path: `${owner.KEY}` has no meaning here"],
    [
      "path: /a\n        headers: { X-A: '${env.K}' }",
      "",
      "actions.0.headers.X-A: expected a header value in one line",
    ],
    ["path: /a\n        headers: { '${input.name}': x }", "", "actions.0.headers"],
    ["path: /a\n        headers: { Content-Length: '5' }", "", "`content-length` belongs to the connection"],
    ["path: /a\n        headers: { Transfer-Encoding: chunked }", "", "`transfer-encoding` belongs to the connection"],
    ["path: /a\n        headers: { Host: '${input.host}' }", "", "`host` belongs to the connection"],
    ["path: /a\n        query: { q: '${response.x}' }", "", "`${response.x}` has no meaning here"],
    ["path: /a\n        query: { q: '${owner.NOBODYS}' }", "", "write it under `owners.NAME.credentials`"],
    ["method: GET", "", "actions.0.path: is missing"],
  ])("are refused where a key says what cannot be: %s %s", (action, extra, message) => {
    const found = faults(component(action, extra), { K: "a\nb" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it("that are asked as models hold nothing of a call or an owner", () => {
    const yaml = `owners: { local: { credentials: { KEY: secret-1 } } }\ncomponents:\n  - { id: m, type: http-client, base_url: "http://x.test/v1", path: /chat/completions, method: POST, headers: { X-A: "\${owner.KEY}" }, body: { model: m, user: "\${owner.KEY}" }, query: { a: 1 } }\nagents: [{ id: a, model: m }]\n`;
    expect(faults(yaml)).toEqual([
      expect.stringContaining("components.0.body.user: expected a value or an input"),
      expect.stringContaining("components.0.query: expected none"),
      expect.stringContaining("components.0.headers.x-a: expected a value without placeholders"),
    ]);
  });

  it("of several actions give an agent each of them, or one by name", () => {
    const yaml = `${component("path: /a\n      - id: other\n        path: /b")}agents: [{ id: a, tools: [search] }, { id: b, tools: [search.other] }]\n`;
    const config = load(yaml);
    expect(config.agents.map(({ tools }) => tools.map(({ tool }) => tool))).toEqual([
      ["search.find", "search.other"],
      ["search.other"],
    ]);
  });

  it.each([
    [
      "a host from input",
      component("path: /", "x").replace("api.example.com", "${input.host}"),
      "base_url: `${input.host}` has no meaning here",
    ],
    [
      "a path that would extend the host",
      component("path: .evil.com/"),
      "path: expected a path that begins with one /",
    ],
    ["a path that is all input", component("path: ${input.path}"), "path: expected a path that begins with one /"],
    ["a path that climbs", component("path: /a/../b"), "without . or .."],
    ["an input as query key", component("path: /a?${input.k}=1"), "never in a query key"],
    ["a body of a GET", component("path: /a\n        body: { a: 1 }"), "expected no body: a GET has none"],
    [
      "a response in the body",
      component("method: POST\n        path: /a\n        body: { a: { b: '${response.x}' } }"),
      "actions.0.body.a.b: `${response.x}` has no meaning here",
    ],
    [
      "an input in the output",
      component("path: /a\n        output: ${input.x}"),
      "output: `${input.x}` has no meaning here",
    ],
    [
      "an input in the sources",
      component("path: /a\n        sources: ${input.x}"),
      "sources: `${input.x}` has no meaning here",
    ],
    ["the whole input", component("path: /a/${input}"), "must name an input"],
    ["an unknown placeholder", component("path: /a/${1+1}"), "is no placeholder"],
    [
      "a refined parameter that is not used",
      component("path: /a\n        params: { q: { type: string } }"),
      "params.q: expected a parameter that the action uses",
    ],
    [
      "a header over two lines",
      component("path: /a", '\n    headers: { a: "b\\nc" }'),
      "expected a header value in one line",
    ],
    ["a built-in tool's name", component("path: /a").replace("id: search", "id: clock"), "`clock` is"],
    [
      "input in a system prompt",
      `${UPSTREAM}agents: [{ id: a, system_prompt: "hi \${input.x}" }]\n`,
      "`${input.x}` has no meaning here",
    ],
  ])("refuse %s", (_, yaml, words) => {
    expect(faults(yaml).join("\n")).toContain(words);
  });

  it("of another type are refused with what is supported", () => {
    expect(faults(`${UPSTREAM}components: [{ id: x, type: docker, task: y }]\n`)).toEqual([
      expect.stringContaining(
        "components.0.type: expected a `type:` of http-client, shell, mcp, openapi, web-scraper, vector-store, model, agent or workflow, the supported ones",
      ),
    ]);
  });
});

describe("loadConfig: the shipped files", () => {
  const shipped = () =>
    loadConfig({
      file: resolve("config/postel.yaml"),
      modelsFile: resolve("config/models.yaml"),
      env: {},
      known: {
        ...KNOWN,
        reasoningMarks: new Set(REASONING.map(({ id }) => id)),
        wires: new Set(CHAT_TEMPLATES.map(({ id }) => id)),
        families: new Set(FORMATS.map(({ id }) => id)),
        quirks: new Set(QUIRKS.keys()),
      },
    });

  it("load with nothing in the environment: recorded models, an agent with the built-in tools and one that asks, on loopback", () => {
    const config = shipped();
    expect(config.server).toMatchObject({ host: "127.0.0.1", port: 7678, apiKeys: [] });
    expect(config.upstreams).toEqual([
      { type: "recorded", id: "recorded", transcripts: resolve("fixtures/transcripts") },
    ]);
    expect(config.agents).toMatchObject([
      { id: "default", tools: [{ tool: "calculator" }, { tool: "clock" }] },
      { id: "tour", tools: [{ tool: "ask_user" }, { tool: "calculator", approval: { type: "always" } }] },
    ]);
  });

  it("have rows for the model families, each with a reason, no pattern twice", () => {
    const { models } = shipped();
    expect(models.length).toBeGreaterThanOrEqual(30);
    const patterns = models.flatMap((row) => row.match);
    expect(new Set(patterns).size).toBe(patterns.length);
    for (const row of models) expect(row.why.length).toBeGreaterThan(10);
  });

  it("ask only for formats that can be rendered", () => {
    const asked = shipped().models.flatMap((row) => row.emulate ?? []);
    expect(asked.filter((family) => !RENDERINGS.has(family))).toEqual([]);
  });

  it.each([
    ["deepseek-v3*", "text"],
    ["deepseek-chat*", "text"],
    ["gpt-4*", "native"],
    ["claude-3*", "native"],
    ["gemini-2*", "native"],
  ])("route %s to %s", (pattern, tools) => {
    expect(shipped().models.find((row) => row.match.includes(pattern))?.tools).toBe(tools);
  });

  it("ask DeepSeek in text mode at a low temperature", () => {
    const row = shipped().models.find(({ match }) => match.includes("deepseek-chat*"));
    expect(row?.sampling?.temperature).toBeLessThanOrEqual(0.3);
  });
});
