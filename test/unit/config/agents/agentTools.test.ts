// What a person has to say about an agent's tools, as postel.yaml writes it: read whole, or refused with its place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { ActionComponent } from "../../../../src/core/config/components.ts";
import type { AgentTool, Config } from "../../../../src/core/config/configuration.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

const MAIL = `
upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]
components:
  - id: mail
    type: http-client
    base_url: http://127.0.0.1:1
    actions: [{ id: send, method: POST, path: /send, body: "\${input.to}" ACTION }]
  - id: orders
    type: http-client
    base_url: http://127.0.0.1:1
    actions: [{ id: find, path: /find }, { id: list, path: /list }]
agents: [{ id: a, tools: [TOOLS] }]
`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-tools-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(tools: string, action = ""): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(
    file,
    MAIL.replace("TOOLS", () => tools).replace("ACTION", () => action),
  );
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

it.each(["orders", "mail"])("an agent with the id of a component with tools is refused, with its place: %s", (id) => {
  expect(() => load(`] }, { id: ${id}, tools: [`)).toThrow(
    /postel\.yaml:12:\d+ agents\.1\.id: expected an id that no component with tools has: one is called `\w+`; give the agent another/,
  );
});

describe("the memory of an agent", () => {
  const agentOf = (memory: string) => load(`], memory: ${memory}, system_prompt: x }, { id: b, tools: [`).agents[0];
  const TOOLS = [{ tool: "save_memory" }, { tool: "recall_memory" }];

  it("is its two tools where it is `tool`, and none where nothing is said", () => {
    expect(agentOf("tool")).toMatchObject({ tools: TOOLS });
    expect(agentOf("tool")?.memory).toBeUndefined();
    expect(agentOf("off")?.tools).toEqual([]);
    expect(load("").agents[0]).toMatchObject({ tools: [] });
    expect(load("").agents[0]?.memory).toBeUndefined();
  });

  it("is no second tool where the list names one, under whatever name", () => {
    const { agents } = load("{ tool: save_memory, name: note }], memory: tool, system_prompt: x }, { id: b, tools: [");
    expect(agents[0]?.tools).toEqual([{ tool: "save_memory", name: "note" }, { tool: "recall_memory" }]);
  });

  it("is the gateway's own affair where it is `auto`", () => {
    expect(agentOf("auto")).toMatchObject({ memory: "auto", tools: [] });
    expect(agentOf("auto_everywhere")).toMatchObject({ memory: "auto_everywhere", tools: [] });
  });
});

function toolsOf(tools: string): readonly AgentTool[] | undefined {
  return load(tools).agents[0]?.tools;
}

describe("an agent's tool", () => {
  it("is a name, or an entry with its own name and what a person has to say", () => {
    const when = { properties: { to: { pattern: "x" } } };
    expect(
      toolsOf(
        "clock, { component: mail, name: send_mail, description: Sends., approval: always, on_reject: stop }, " +
          "{ tool: orders.find, approval: { when: { properties: { to: { pattern: x } } } } }, " +
          "{ component: ask_user, allow_other: true, prompt: Ask. }",
      ),
    ).toEqual([
      { tool: "clock" },
      { tool: "mail", name: "send_mail", description: "Sends.", approval: { type: "always" }, onReject: "stop" },
      { tool: "orders.find", approval: { type: "when", schema: when } },
      { tool: "ask_user", allowOther: true, prompt: "Ask." },
    ]);
  });

  it("of a component with several actions is each of them, under the same rule", () => {
    expect(toolsOf("{ tool: orders, approval: never }")).toEqual([
      { tool: "orders.find", approval: { type: "never" } },
      { tool: "orders.list", approval: { type: "never" } },
    ]);
  });

  it("of a component's action has the component's name where it says none, and data that its model never sees", () => {
    expect(
      toolsOf("{ component: orders, action: list }, { component: mail, action: send, context: { who: 7 } }"),
    ).toEqual([
      { tool: "orders.list", name: "orders" },
      { tool: "mail", name: "mail", context: { who: 7 } },
    ]);
  });

  it.each([
    ["{ component: mail, approval: sometimes }", /tools\.0\.approval: expected never, always, or `when:`/],
    [
      "{ component: mail, approve: always }",
      /tools\.0\.approve: unknown key `approve`, did you mean|tools\.0\.approve: unknown key `approve`/,
    ],
    ["{ approval: always }", /tools\.0: expected the tool's name/],
    ["{ tool: mail, component: mail }", /tools\.0: expected the tool's name/],
    ["{ component: mail, allow_other: true }", /tools\.0\.allow_other: expected no `allow_other`/],
    ["{ component: mail, name: approve_tool_call }", /tools\.0\.name: expected a name/],
    ["{ component: orders, name: find }", /tools\.0: expected one action, as in `orders\.ACTION`/],
    ["clock, { component: mail, name: clock }", /tools\.1: expected each tool once/],
    ["{ component: male, approval: always }", /tools\.0: expected a built-in tool or a component's id.*mail/],
    ["{ component: orders }", /tools\.0: expected `action:` as well: `orders` has find, list/],
    ["{ component: orders, action: buy }", /tools\.0: expected an action of `orders`, which has find, list/],
    ["{ tool: clock, action: x }", /tools\.0: expected no `action`/],
    [
      '{ component: mail, context: { a: "${input.to}" } }',
      /tools\.0\.context\.a: `\$\{input\.to\}` has no meaning here/,
    ],
    ["5", /tools\.0: expected a tool name/],
  ])("is refused with its place where it says something else: %s", (tools, words) => {
    expect(() => load(tools)).toThrow(words);
  });
});

describe("an action", () => {
  it("says what a person agrees to, whether it takes a key, and what of its answers a person is asked about", () => {
    const config = load(
      "mail",
      ", approval: always, idempotent: true, untrusted: false, interrupts: { none_found: { when: { maxItems: 0 }, message: None. } }",
    );
    const [action] = (config.components as readonly ActionComponent[])[0]?.actions ?? [];
    expect(action).toMatchObject({
      approval: { type: "always" },
      idempotent: true,
      untrusted: false,
      interrupts: { none_found: { when: { maxItems: 0 }, message: "None." } },
    });
  });

  it.each([
    [", interrupts: { approval: { when: {}, message: m } }", /interrupts/],
    [", interrupts: { none: { when: {} } }", /interrupts\.none\.message: is missing; expected what a person is asked/],
    [", approval: maybe", /approval: expected never, always/],
  ])("is refused where it says something else: %s", (action, words) => {
    expect(() => load("mail", action)).toThrow(words);
  });
});
