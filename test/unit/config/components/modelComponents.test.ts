// Components that serve models and agents: what an operator may write, what it comes to, and what is refused in which words.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { collectSecrets } from "../../../../src/config/load/collectSecrets.ts";
import type { Config } from "../../../../src/core/config/configuration.ts";
import { configFaults } from "../../../support/configFaults.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-components-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, env: Record<string, string> = {}): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}

/** The refusal's faults, each without the file. */
function faults(yaml: string): readonly string[] {
  return configFaults(() => load(yaml)).map((fault) => fault.replace(/^\S*postel\.yaml:\d+:\d+ /, ""));
}

/** A chat model behind an HTTP service and the agent that asks it; the body and the path are the test's. */
function service(body: string, path = "/chat/completions", more = ""): string {
  return `components:
  - id: chat-model
    type: http-client
    base_url: https://api.example.com/v1
    ${more}
    actions: [{ id: chat, path: "${path}", method: POST, body: ${body} }]
  - { id: helper, type: agent, model: chat-model }
`;
}

const MODEL =
  "{ id: local, type: model, model: m, runtime: { type: openai-server, base_url: 'http://localhost:1/v1' } }";

describe("a component of the type model", () => {
  it("is an upstream of one name, which is asked for the model's own, and needs no other", () => {
    const yaml = `components:
  - id: local-llm
    type: model
    task: chat-completion
    model: \${env.MODEL | "Qwen/Qwen2.5-7B-Instruct"}
    runtime:
      type: openai-server
      base_url: \${env.VLLM_BASE_URL | "http://127.0.0.1:8000/v1"}
      api_key: \${env.VLLM_KEY | ""}
    messages: \${input.messages}
    tools: \${input.tools}
  - { id: writer, type: agent, model: local-llm, max_iterations: 5 }
`;
    const config = load(yaml, { MODEL: "org/model-7b", VLLM_KEY: "a-long-secret-key" });
    expect(config.upstreams).toEqual([
      {
        ...{ type: "server", id: "local-llm", wire: "openai", baseUrl: "http://127.0.0.1:8000/v1", headers: {} },
        ...{ apiKey: "a-long-secret-key", models: ["local-llm"], model: "org/model-7b", parse: "on" },
      },
    ]);
    expect(config.agents).toMatchObject([{ id: "writer", model: "local-llm", limits: { maxTurns: 5 } }]);
    expect(collectSecrets(config)).toContain("a-long-secret-key");
    expect(collectSecrets(config)).not.toContain("org/model-7b");
  });

  it("that would have a server started is told to name one that runs", () => {
    const runtime = "{ type: docker, image: vllm, base_url: 'http://localhost:1/v1' }";
    const lines = faults(`components: [{ id: local, type: model, model: m, runtime: ${runtime} }]\n`);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^components\.0\.runtime\.type: expected openai-server: Postel starts no server; .*base_url/,
      ),
    );
  });

  it("may say what every request has, and nothing else in its place", () => {
    const odd = MODEL.replace("model: m,", 'model: m, messages: "${input.question}",');
    expect(faults(`components: [${odd}]\n`)).toEqual([
      "components.0.messages: expected ${input.messages}, which is what it is without a word",
    ]);
  });
});

describe("an http-client that an agent asks as its model", () => {
  it("is an upstream on the wire of its path, with the values of its body as defaults, and no tool", () => {
    const body =
      "{ model: gpt-4o, messages: '${input.messages}', tools: '${input.tools}', temperature: '${input.temperature | 0.7}', top_p: 0.9, max_tokens: '${input.max_tokens}', stream: false, reasoning_effort: low, metadata: { of: '${input.of}', by: postel } }";
    const config = load(service(body, "/chat/completions", "headers: { Authorization: Bearer abc-123 }"));
    expect(config.upstreams).toEqual(
      [
        {
          ...{ type: "server", id: "chat-model", wire: "openai", baseUrl: "https://api.example.com/v1" },
          ...{ headers: { authorization: "Bearer abc-123" }, models: ["chat-model"], model: "gpt-4o", parse: "on" },
          defaults: {
            sampling: { temperature: 0.7, topP: 0.9 },
            passthrough: { reasoning_effort: "low", metadata: { by: "postel" } },
          },
        },
      ].map((upstream) => expect.objectContaining(upstream)),
    );
    expect(config.components).toEqual([]);
    expect(collectSecrets(config)).toContain("abc-123");
  });

  it("has its model's name from its path, and defaults in its own words, where its wire has them so", () => {
    const body =
      "{ contents: '${input.messages}', generationConfig: { topK: 40, maxOutputTokens: '${input.max_tokens}' } }";
    expect(load(service(body, "/models/gemini-2.5-flash:generateContent")).upstreams[0]).toMatchObject({
      ...{ wire: "gemini", baseUrl: "https://api.example.com/v1", model: "gemini-2.5-flash" },
      defaults: { sampling: {}, passthrough: { generationConfig: { topK: 40 } } },
    });
  });

  it("has deployment and version from its path, where its wire has them there", () => {
    const path = "/openai/deployments/weather/chat/completions?api-version=2024-10-21";
    const yaml = service("{ temperature: 0 }", path).replace("https://api.example.com/v1", "https://team.example.com");
    expect(load(yaml).upstreams[0]).toMatchObject({
      ...{ wire: "azure", baseUrl: "https://team.example.com/openai", model: "weather" },
      ...{ deployment: "weather", apiVersion: "2024-10-21" },
    });
  });

  it("is one too where an alias names it, or where it says its wire", () => {
    const one = service("{ model: m }").replace(/ {2}- \{ id: helper.*\n/, "");
    expect(load(`${one}aliases: { gpt-4o: chat-model }\n`).upstreams).toHaveLength(1);
    expect(load(one.replace("type: http-client", "type: http-client\n    wire: openai")).upstreams).toHaveLength(1);
    expect(faults(one)).toEqual(["upstreams: expected at least one upstream, or a component that serves a model"]);
  });

  it.each([
    ["/responses", "components.0.actions.0.path: expected a path that ends as a model's does: .*Responses API"],
    ["/generate", "components.0.actions.0.path: expected a path that ends as a model's does: /chat/completions, "],
  ])("is refused with the path %s", (path, words) => {
    expect(faults(service("{ model: m }", path))).toEqual([expect.stringMatching(`^${words}`)]);
  });

  it.each([
    ["{ messages: '${input.messages}' }", "body.model: expected the name of the model that the server is asked for"],
    ["{ model: '${input.model}' }", "body.model: expected the name of the model"],
    [
      "{ model: m, messages: [{ role: user, content: '${input.q | hi}' }] }",
      "body.messages: expected a placeholder, as",
    ],
    ["{ model: m, user: 'u-${input.user}' }", "body.user: expected a value or one placeholder"],
    ["{ model: m, user: '${input.customer}' }", "body.user: expected a default, as in `${input.customer | …}`"],
    ["{ model: m, temperature: 3 }", "body.temperature: expected a number, 0 to 2"],
  ])("is refused with the body %s", (body, words) => {
    expect(faults(service(body))).toEqual([expect.stringContaining(`components.0.actions.0.${words}`)]);
  });

  it("is refused where it is got and not posted to, or has several actions", () => {
    const got = service("{ model: m }").replace("method: POST, body: { model: m }", "method: GET");
    expect(faults(got)).toEqual(["components.0.actions.0.method: expected POST, with which models are asked"]);
    const two = service("{ model: m }").replace("actions: [", "actions: [{ id: other, path: / }, ");
    expect(faults(two)).toEqual(["components.0.actions: expected one action, which asks the model"]);
  });

  it("is no tool of an agent, which is said", () => {
    const yaml = service("{ model: m }").replace("model: chat-model }", "model: chat-model, tools: [chat-model] }");
    expect(faults(yaml)).toEqual([
      "components.1.tools.0: expected a built-in tool or a component's id; `chat-model` is a model",
    ]);
  });

  it("must not be taken from its agent by an alias", () => {
    expect(faults(`${service("{ model: m }")}aliases: { "chat-*": other }\n`)).toEqual([
      "components.1.model: expected a name that no alias takes; `chat-model` is a component, and the alias `chat-*` says `other`",
    ]);
  });
});

describe("agents as components", () => {
  it("are one list with those of `agents:`, by unique ids", () => {
    const yaml = `agents: [{ id: one }]\ncomponents: [${MODEL}, { id: two, type: agent, model: local }]\n`;
    expect(load(yaml).agents.map(({ id }) => id)).toEqual(["one", "two"]);
    expect(faults(yaml.replace("id: two", "id: one"))).toEqual([
      "components.1.id: expected an id that is not taken; `one` is",
    ]);
  });

  it("are refused, by name, with keys that belong in their actions", () => {
    const yaml = `components: [${MODEL}, { id: two, type: agent, model: local, task: "\${input.query}", actions: [] }]\n`;
    expect(faults(yaml)).toEqual([
      expect.stringContaining("components.1.actions: expected at least one action"),
      expect.stringContaining("components.1.task: expected no `task` beside `actions`"),
    ]);
  });

  it("share their ids with no upstream where they serve a model", () => {
    const yaml = `components: [${MODEL}]\nupstreams: [{ id: local, base_url: "http://localhost:2/v1" }]\n`;
    expect(faults(yaml)).toEqual(["upstreams.0.id: expected an id that is not taken; `local` is"]);
  });
});
