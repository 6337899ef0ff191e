// Whole components among the tools of agents: each is a component of the file like the others, refused where it is written.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../../src/core/config/configuration.ts";
import { configFaults } from "../../../support/configFaults.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

const UPSTREAM = 'upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]\n';
const HTTP = "type: http-client, base_url: https://api.example.com";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-inline-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, env = {}): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, UPSTREAM + yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}

function loadTools(tools: string): Config {
  return load(`agents: [{ id: a, model: m, tools: [${tools}] }]\n`);
}

/** Without the folder of the file. */
function faults(yaml: string): readonly string[] {
  return configFaults(() => load(yaml)).map((fault) => fault.replace(`${folder}/`, ""));
}

describe("a whole component among an agent's tools", () => {
  it("is what it is under `components:`, whichever kind of tool it is", () => {
    const { components, agents, workflows } = loadTools(
      `{ component: { id: web, ${HTTP}, path: "/s?q=\${input.q}" } }, ` +
        '{ component: { id: list, type: shell, command: [ls, "./${input.folder}"] } }, ' +
        '{ component: { id: writer, type: agent, model: m, task: "Write ${input.what}." } }, ' +
        "{ component: { id: flow, type: workflow, component: web, input: { q: x } } }",
    );
    expect(components.map(({ id, type }) => [id, type])).toEqual([
      ["web", "http-client"],
      ["list", "shell"],
    ]);
    expect(agents.map(({ id }) => id)).toEqual(["a", "writer"]);
    expect(workflows.map(({ id }) => id)).toEqual(["flow"]);
    expect(agents[0]?.tools).toEqual([{ tool: "web" }, { tool: "list" }, { tool: "writer" }, { tool: "flow" }]);
  });

  it("equals the same one written under `components:` and named", () => {
    const inline = loadTools(`{ component: { id: web, ${HTTP}, path: / }, name: look, approval: always }`);
    const named = load(
      `components: [{ id: web, ${HTTP}, path: / }]\n` +
        "agents: [{ id: a, model: m, tools: [{ component: web, name: look, approval: always }] }]\n",
    );
    expect([inline.components, inline.agents]).toEqual([named.components, named.agents]);
  });

  it("is given an id where it has none: of the agent and the entry's name, or of its place, and none that is taken", () => {
    const yaml =
      "components:\n" +
      `  - { id: a-tool-3, ${HTTP}, path: / }\n` +
      "  - id: b\n    type: agent\n    model: m\n" +
      `    actions: [{ id: x, tools: [{ component: { ${HTTP}, path: / } }] }]\n` +
      "agents:\n  - id: a\n    model: m\n    tools:\n" +
      `      - { component: { ${HTTP}, path: / }, name: look.up }\n` +
      `      - { component: { ${HTTP}, path: / } }\n` +
      `      - { component: { ${HTTP}, path: / } }\n`;
    const { components, agents } = load(yaml);
    expect(components.map(({ id }) => id)).toEqual(["a-tool-3", "b-x-tool-1", "a-look-up", "a-tool-2", "a-tool-3-2"]);
    expect(agents.find(({ id }) => id === "a")?.tools).toEqual([
      { tool: "a-look-up", name: "look.up" },
      { tool: "a-tool-2" },
      { tool: "a-tool-3-2" },
    ]);
    expect(agents.find(({ id }) => id === "b")?.actions[0]?.tools).toEqual([{ tool: "b-x-tool-1" }]);
  });

  it("may be an agent that has such tools itself", () => {
    const { components, agents } = loadTools(
      `{ component: { id: sub, type: agent, model: m, tools: [{ component: { ${HTTP}, path: / }, name: look }] } }`,
    );
    expect(components.map(({ id }) => id)).toEqual(["sub-look"]);
    expect(agents.map(({ id, tools }) => [id, tools])).toEqual([
      ["a", [{ tool: "sub" }]],
      ["sub", [{ tool: "sub-look", name: "look" }]],
    ]);
  });

  it("keeps what came from the environment in its headers a secret, wherever it is nested", () => {
    const { secrets } = load(
      "agents:\n  - id: a\n    model: m\n    tools:\n" +
        `      - component: { type: agent, model: m, tools: [{ component: { ${HTTP}, path: /, headers: { x-it: "\${env.IT}" } } }] }\n`,
      { IT: "blue-horse-7" },
    );
    expect(secrets.reveal()).toContain("blue-horse-7");
  });

  it.each([
    [
      "a key that it does not have",
      `{ ${HTTP}, path: /, pfad: x }`,
      /^postel.yaml:2:\d+ agents\.0\.tools\.0\.component\.pfad: unknown key `pfad`/,
    ],
    [
      "a key that is missing",
      "{ type: shell }",
      /^postel.yaml:2:50 agents\.0\.tools\.0\.component\.command: is missing/,
    ],
    [
      "a kind that there is not",
      "{ type: docker }",
      /^postel.yaml:2:58 agents\.0\.tools\.0\.component\.type: expected a `type:` of/,
    ],
    [
      "an id that is none",
      `{ id: a b, ${HTTP}, path: / }`,
      /^postel.yaml:2:56 agents\.0\.tools\.0\.component\.id: expected an id/,
    ],
    [
      "the id of a built-in tool",
      `{ id: clock, ${HTTP}, path: / }`,
      /component\.id: expected an id that is not taken; `clock` is$/,
    ],
    [
      "the id of its agent",
      "{ id: a, type: agent, model: m }",
      /component\.id: expected an id that is not taken; `a` is$/,
    ],
    [
      "an address of the machine's link",
      '{ type: http-client, base_url: "http://169.254.169.254", path: / }',
      /^postel.yaml:2:\d+ agents\.0\.tools\.0\.component\.base_url: .* write it into egress\.allow/,
    ],
    [
      "a host put together",
      '{ type: http-client, base_url: "http://${env.A | x}.example", path: / }',
      /^postel.yaml:2:\d+ agents\.0\.tools\.0\.component\.base_url: expected a host that is written out/,
    ],
    [
      "a credential that nobody has",
      `{ ${HTTP}, path: /, headers: { k: "\${owner.CRM}" } }`,
      /^postel.yaml:2:50 agents\.0\.tools\.0\.component: expected a credential that an owner has/,
    ],
    [
      "code that a call would write",
      '{ type: shell, command: [sh, -c, "${input.code}"] }',
      /^postel.yaml:2:\d+ agents\.0\.tools\.0\.component\.command\.2: /,
    ],
    [
      "an agent that runs its own",
      "{ type: agent, model: m, tools: [a] }",
      /agents\.0\.tools\.0\.component\.tools: expected no agent among the tools/,
    ],
    [
      "a model",
      "{ type: model, model: x, runtime: { type: openai-server, base_url: http://127.0.0.1:1/v1 } }",
      /^postel.yaml:2:\d+ agents\.0\.tools\.0\.component\.type: .* a model is no tool: write it under `components:`, and its id as the `model` of an agent$/,
    ],
    [
      "actions of which none is said",
      `{ id: web, ${HTTP}, actions: [{ id: x, path: / }, { id: y, path: / }] }`,
      /^postel.yaml:2:\d+ agents\.0\.tools\.0: expected `action:` as well: `web` has x, y$/,
    ],
    ["a list", "[web]", /agents\.0\.tools\.0\.component: expected a component's id, or a whole component$/],
  ])("is refused where it stands for %s", (_, component, words) => {
    const found = faults(`agents: [{ id: a, model: m, tools: [{ component: ${component} }] }]\n`);
    expect(found.filter((fault) => words.test(fault))).toHaveLength(1);
  });

  it("is refused for an id that another one has, of whatever kind", () => {
    const yaml =
      "agents:\n  - { id: a, model: m, tools: [{ component: { id: w, type: agent, model: m } }] }\n" +
      `  - { id: b, model: m, tools: [{ component: { id: w, ${HTTP}, path: / } }] }\n`;
    expect(faults(yaml)).toEqual([
      expect.stringMatching(
        /^postel.yaml:4:\d+ agents\.1\.tools\.0\.component\.id: expected an id that is not taken; `w` is$/,
      ),
    ]);
  });

  it("has one of its several actions where the entry says which", () => {
    const { agents } = loadTools(
      `{ component: { id: web, ${HTTP}, actions: [{ id: x, path: / }, { id: y, path: / }] }, action: y }`,
    );
    expect(agents[0]?.tools).toEqual([{ tool: "web.y", name: "web" }]);
  });
});
