// What a row tells its model of calls: where it stands, what it shows, and what it must never show.

import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { readModelRow, writeModelRow } from "../../../src/config/models/modelProfiles.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { CHAT_TEMPLATES, FORMATS } from "../../../src/formats/specs/lookupTables.ts";
import { RENDERINGS } from "../../../src/formats/specs/prompts.ts";
import { QUIRKS } from "../../../src/models/request/quirks.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { configFor, startGateway } from "../../support/startGateway.ts";

const LINES = [
  "One form and no other.",
  "Right:\n{call}",
  "Never write look_up(1) in a fence.",
  "Names end here: look_up.",
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Said {
  readonly system: string;
  readonly messages: readonly JsonObject[];
}

/** What a model with this row is told when it is offered these tools. */
async function told(row: Partial<ModelProfile>, names: readonly string[], more: JsonObject = {}): Promise<Said> {
  const upstream: FakeUpstream = await FakeUpstream.start((_request, response) => sendText(response, "Nothing to do."));
  const config = configFor(upstream.baseUrl);
  const gateway = await startGateway({
    config: { ...config, operatorModels: [{ match: ["m"], why: "A test.", ...row }] },
  });
  open.push(upstream, gateway);
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
  ];
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, ...(tools.length > 0 && { tools }), ...more }),
  });
  expect(answer.status).toBe(200);
  const sent = upstream.requests[0]?.body.messages as unknown as readonly JsonObject[];
  return { system: String(sent[0]?.content), messages: sent };
}

describe("the lines of a row in text mode", () => {
  it("stand among the rules, with the form of a call in its family's own marks", async () => {
    const { system } = await told({ tools: "text", emulate: "react-text", prompt: LINES }, ["count"]);
    expect(system).toContain("- One form and no other.");
    expect(system).toMatch(/- Right:\n(Thought: .*\n)?Action: tool_name\nAction Input: \{"parameter": /);
  });

  it("never show an offered tool: neither in the form of a call nor in a line that names one", async () => {
    const { system } = await told({ tools: "text", emulate: "react-text", prompt: LINES }, ["tool_name", "look_up"]);
    const rules = system.slice(system.indexOf("Rules:"));
    expect(rules).toContain("One form and no other.");
    expect(rules).toContain("Right:");
    expect(rules).not.toMatch(/look_up|Action: tool_name/);
  });

  it("are not said where there is nothing to call", async () => {
    const { system } = await told({ tools: "text", prompt: LINES }, []);
    expect(system).toBe("Be brief.");
  });
});

describe("the lines of a row beside native tools", () => {
  it("stand behind the instructions, without those that show a call as text", async () => {
    const { system, messages } = await told({ nativePrompt: LINES }, ["count"]);
    expect(system).toBe(`Be brief.\n\n${[LINES[0], LINES[2], LINES[3]].join("\n")}`);
    expect(messages).toHaveLength(2);
  });

  it("are those of that mode alone, and not said where no tool may be called", async () => {
    expect((await told({ prompt: LINES }, ["count"])).system).toBe("Be brief.");
    const none = await told({ nativePrompt: LINES }, ["count"], { tool_choice: "none" });
    expect(none.system).toBe("Be brief.");
  });
});

const ROWS = readConfig({
  file: resolve("config/postel.yaml"),
  modelsFile: resolve("config/models.yaml"),
  env: {},
}).models;

describe("the shipped rows", () => {
  it("show a call as its form alone, and say in `why` what a line is against and whether that was measured", () => {
    const told = ROWS.filter(({ prompt, nativePrompt }) => prompt ?? nativePrompt);
    expect(told.length).toBeGreaterThan(0);
    for (const { prompt = [], nativePrompt = [], why } of told) {
      const lines = [...prompt, ...nativePrompt];
      expect(lines.filter((line) => /"(name|arguments)"|Action:|\w\(|=\{/.test(line))).toEqual([]);
      expect(why).toMatch(/`prompt` .*(measured)/);
    }
  });

  it("come back from a recording as they were", () => {
    const known = {
      families: new Set([...FORMATS.map(({ id }) => id), ...Object.keys(RENDERINGS)]),
      reasoningMarks: new Set(ROWS.flatMap(({ reasoning }) => reasoning?.marks ?? [])),
      wires: new Set([...CHAT_TEMPLATES.map(({ id }) => id), ...ROWS.flatMap(({ wire }) => wire ?? [])]),
      quirks: new Set(QUIRKS.keys()),
      tools: new Set<string>(),
      upstreamWires: new Set<string>(),
      addressFault: () => undefined,
      hostFault: () => undefined,
      commandFaults: () => [],
      saysPublic: () => true,
      isAllowEntry: () => true,
      parseServerUrl: () => undefined,
    };
    for (const row of ROWS) expect(readModelRow(writeModelRow(row), known)).toEqual(row);
  });
});
