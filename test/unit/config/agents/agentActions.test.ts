// An agent's actions as postel.yaml writes them: read whole, or refused with their place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../../src/core/config/configuration.ts";
import { readConfig } from "../../../support/gatewayModules.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-actions-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(agent: string): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, `upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]\nagents: [{ id: a, ${agent} }]\n`);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

describe("an agent's actions", () => {
  it("are whole once they are loaded: each has what it says itself, and else what its agent says", () => {
    const { agents } = load(
      'tools: [clock], system_prompt: S, max_iterations: 7, temperature: 0.7, max_tokens: 9, actions: [{ id: x }, { id: y, tools: [], system_prompt: "", temperature: 0, max_iterations: 1 }]',
    );
    const [x, y] = agents[0]?.actions ?? [];
    expect(x).toMatchObject({
      tools: [{ tool: "clock" }],
      systemPrompt: "S",
      sampling: { temperature: 0.7, maxTokens: 9 },
    });
    expect(x?.limits.maxTurns).toBe(7);
    expect(y).toMatchObject({ tools: [], systemPrompt: "", sampling: { temperature: 0, maxTokens: 9 } });
    expect(y?.limits.maxTurns).toBe(1);
  });

  it("are one without a name where the agent carries its keys itself", () => {
    const { agents } = load('description: D, task: "${input.q}", tools: [clock]');
    expect(agents[0]?.actions).toMatchObject([
      { id: "__default__", description: "D", task: "${input.q}", tools: [{ tool: "clock" }] },
    ]);
    expect(agents[0]?.actions[0]?.limits.maxTurns).toBe(10);
  });

  it.each([
    ["task: x, actions: [{ id: x }]", /agents\.0\.task: expected no `task` beside `actions`/],
    ["actions: []", /agents\.0\.actions: expected at least one action/],
    ["actions: [{ id: x }, { id: x }]", /agents\.0\.actions\.1\.id: expected an id that is not taken/],
    ["actions: [{ id: x, tools: [clok] }]", /agents\.0\.actions\.0\.tools\.0: expected a built-in tool.*clock/],
    ["actions: [{ id: x, max_iterations: 0 }]", /agents\.0\.actions\.0\.max_iterations: expected a whole number/],
    ["actions: [{ id: x, sistem_prompt: y }]", /agents\.0\.actions\.0\.sistem_prompt: unknown key.*system_prompt/],
    ['task: "${owner.key}"', /agents\.0\.task: `\$\{owner\.key\}` has no meaning here/],
    ['context: { deep: ["${steps.x}"] }', /agents\.0\.context\.deep\.0: `\$\{steps\.x\}` has no meaning here/],
    ['task: "${input"', /agents\.0\.task: .*is no placeholder/],
  ])("are refused with their place: %s", (agent, words) => {
    expect(() => load(agent)).toThrow(words);
  });
});
