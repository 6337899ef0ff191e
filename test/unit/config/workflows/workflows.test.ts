// Workflows that cannot run are refused when the file is loaded, each with its place and with what to write.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../../support/gatewayModules.ts";

const PARTS = `upstreams: [{ id: up, base_url: 'http://127.0.0.1:1/v1' }]
components:
  - { id: llm, type: model, model: x, runtime: { type: openai-server, base_url: 'http://127.0.0.1:1/v1' } }
  - { id: search, type: http-client, base_url: 'http://h', actions: [{ id: find, path: "/?q=\${input.query}" }] }
  - { id: notes, type: http-client, base_url: 'http://h', actions: [{ id: keep, path: /a }, { id: drop, path: /b }] }
  - { id: writer, type: agent, model: llm, task: "\${input.topic}", tools: [search] }
  - { id: nobody, type: agent }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-workflows-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string) {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, PARTS + yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} }).workflows;
}

describe("a workflow in the file", () => {
  it("has a step of its component, and wants what that wants of a whole input", () => {
    expect(load("workflow: { component: writer, input: '${input}' }\n")).toEqual([
      {
        id: "default",
        parameters: {
          type: "object",
          properties: { topic: { type: "string" } },
          required: ["topic"],
          additionalProperties: true,
        },
        steps: [{ type: "agent", id: "writer", agent: "writer", tool: "writer", input: "${input}" }],
      },
    ]);
  });

  it("may be a component, and a step of another workflow", () => {
    const yaml = `  - { id: inner, type: workflow, component: search, input: { query: "\${input.q | bees}" } }
workflows:
  - { id: outer, steps: [{ id: a, component: inner, input: "\${input}" }], output: "\${steps.a.response}" }
`;
    expect(load(yaml).map(({ id, parameters }) => [id, parameters.properties])).toEqual([
      ["outer", { q: { type: "string", default: "bees" } }],
      ["inner", { q: { type: "string", default: "bees" } }],
    ]);
  });

  it.each([
    [
      "neither a component nor steps",
      "workflow: { output: '${input}' }",
      /8:11 workflow: expected one of `component:`/,
    ],
    ["both", "workflow: { component: search, steps: [{ id: a, component: notes }] }", /expected one of `component:`/],
    ["a task beside steps", "workflow: { task: t, steps: [{ id: a, component: writer }] }", /no `task` beside `steps`/],
    ["an unknown component", "workflow: { component: serch }", /component: .*\(did you mean `search`\?\)/],
    ["a model as a component", "workflow: { component: llm }", /`llm` is a model: write an agent that asks it/],
    ["an agent without a model", "workflow: { component: nobody }", /expected an agent with a `model:`/],
    [
      "no action of several",
      "workflow: { component: notes }",
      /action: expected an action of `notes`: one of keep, drop/,
    ],
    ["an unknown action", "workflow: { component: notes, action: kept }", /one of keep, drop/],
    ["a task for a service", "workflow: { component: search, task: x, input: '${input}' }", /task: expected no `task`/],
    [
      "no input that is needed",
      "workflow: { component: search }",
      /input: expected `query` in it: `search` is given query/,
    ],
    ["an input too many", "workflow: { component: search, input: { query: a, x: b } }", /input\.x: expected no `x`/],
    ["an input that is a text", "workflow: { component: search, input: some words }", /expected a mapping of values/],
    [
      "a root of elsewhere",
      "workflow: { component: writer, task: '${response.x}' }",
      /`\$\{response\.x\}` has no meaning here/,
    ],
    [
      "steps where there are none",
      "workflow: { component: writer, output: '${steps.a}' }",
      /`\$\{steps\.a\}` has no meaning here/,
    ],
    [
      "an agent's output by a wrong name",
      "workflow: { component: writer, input: '${input}', output: '${output.text}' }",
      /has `response`/,
    ],
    ["a placeholder that is none", "workflow: { component: writer, task: '${7*7}' }", /is no placeholder/],
    ["a key that is not there", "workflow: { component: writer, when: x }", /unknown key `when`/],
    [
      "an id that is taken",
      "workflows: [{ id: search, component: writer, input: '${input}' }]",
      /id: expected an id that is not taken; `search` is/,
    ],
    [
      "one id twice",
      "workflows: [{ id: a, component: notes, action: keep }, { id: a, component: notes, action: keep }]",
      /`a` is/,
    ],
  ])("is refused with %s", (_what, yaml, message) => {
    expect(() => load(`${yaml}\n`)).toThrow(message);
    expect(() => load(`${yaml}\n`)).toThrow(/postel\.yaml:8:\d+ workflow/);
  });

  it.each([
    [
      "a step that is not there",
      "${steps.frist.x}",
      /`\$\{steps\.frist\.x\}` names no step \(did you mean `first`\?\)/,
    ],
    ["itself", "${steps.second}", /has no value yet: a step has only what steps before it brought/],
    ["a step behind it", "${steps.third}", /put `third` before it/],
    ["an agent's result by a wrong name", "${steps.first.text}", /write `\$\{steps\.first\.response\}`/],
  ])("is refused where a step is given %s", (_what, query, message) => {
    const yaml = `workflow:
  steps:
    - { id: first, component: writer, input: { topic: x } }
    - { id: second, component: search, input: { query: "${query}" } }
    - { id: third, component: search, input: { query: x } }
`;
    expect(() => load(yaml)).toThrow(message);
    expect(() => load(yaml)).toThrow(/postel\.yaml:11:\d+ workflow\.steps\.1\.input/);
  });

  it.each([
    ["itself", "steps: [{ id: s, component: a }]", /it would run itself/],
    ["another that runs it", "steps: [{ id: s, component: b }]", /`b` would run it again/],
  ])("is refused where it runs %s", (_what, steps, message) => {
    expect(() => load(`workflows: [{ id: a, ${steps} }, { id: b, component: a }]\n`)).toThrow(message);
  });

  it("is refused where it runs an agent whose tool it is", () => {
    const yaml = "  - { id: boss, type: agent, model: llm, tools: [a] }\nworkflows: [{ id: a, component: boss }]\n";
    expect(() => load(yaml)).toThrow(/`boss` would run it again/);
  });
});
