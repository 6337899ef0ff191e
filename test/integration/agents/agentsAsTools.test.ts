// Agents that have other agents do things: what each is told, what comes back, and what of it a person decides.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Declared, lastOf, type Said, startDeclared, systemOf } from "../../support/declared/startDeclared.ts";
import type { UpstreamRequest } from "../../support/FakeUpstream.ts";

function yaml(model: string, approval = "never"): string {
  return `
components:
  - id: notes
    type: http-client
    base_url: \${env.SERVICE_URL}
    actions: [{ id: write, method: POST, path: /write, body: { text: "\${input.text}" }, approval: ${approval} }]
agents:
  - { id: boss, model: ${model}, system_prompt: You are the boss., tools: [writer] }
  - id: writer
    model: ${model}
    description: Writes something down.
    system_prompt: You are the writer.
    task: "Write down: \${input.what}"
    params: { what: { description: What to write. } }
    tools: [notes]
`;
}

/** The boss has the writer write, who does so with its tool; each answers with what came back. */
function says(request: UpstreamRequest): Said {
  const last = lastOf(request);
  const isBoss = request.body.messages.some(({ content }) => String(content).includes("You are the boss."));
  const isDone = last.includes("asked") || last.includes("It is written") || last.includes("Error");
  if (isBoss) return isDone ? `The writer said: ${last}` : [{ name: "writer", arguments: { what: "tea" } }];
  return isDone ? "It is written." : [{ name: "notes", arguments: { text: "tea" } }];
}

const ASK = { agent: "boss", model: "m", messages: [{ role: "user", content: "Have tea written down." }] };

let started: Declared | undefined;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-nested-"));
});
afterEach(async () => {
  await started?.close();
  started = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(...how: Parameters<typeof startDeclared>): Promise<Declared> {
  started = await startDeclared(...how);
  return started;
}

describe("an agent as a tool", () => {
  it.each(["m", "text-m"])(
    "does its task with a context of its own, and its answer is the result (%s)",
    async (model) => {
      const testGateway = await start(yaml(model), says);
      const { body } = await testGateway.post("/v1/agent", { ...ASK, agent: "boss" });
      expect(body.choices[0].message.content).toContain("It is written.");
      expect(body.postel.outcome).toBe("answered");
      expect(testGateway.asked).toEqual(['POST /write {"text":"tea"}']);
      const writers = testGateway.upstream.requests.filter((request) =>
        systemOf(request).includes("You are the writer."),
      );
      expect(writers).toHaveLength(2);
      expect(JSON.stringify(writers[0]?.body.messages)).toContain("Task: Write down: tea");
      expect(JSON.stringify(writers)).not.toContain("Have tea written down.");
      // What each turn of each of them used.
      expect(body.usage.total_tokens).toBe(60);
    },
  );

  it("is shown with the parameters that its task names, and tells what it does within its call", async () => {
    const testGateway = await start(yaml("m"), says);
    const { text } = await testGateway.post("/v1/agent", { ...ASK, stream: true });
    const [first] = testGateway.upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));
    expect(first?.body.tools).toMatchObject([
      {
        function: {
          name: "writer",
          description: "Writes something down.",
          parameters: { properties: { what: { type: "string", description: "What to write." } }, required: ["what"] },
        },
      },
    ]);
    const events = text.split("\n").flatMap((line) => /"postel_event":(\{.*\})/.exec(line)?.[1] ?? []);
    const nested = events.filter((event) => event.includes('"nested"')).join("\n");
    expect(nested).toContain('"agent":"writer"');
    expect(nested).toContain('"tool-start"');
    expect(nested).toContain('"outcome":"answered"');
  });

  it("that ends without an answer is an error that says how", async () => {
    const testGateway = await start(yaml("m").replace("tools: [notes]", "tools: [notes]\n    max_iterations: 1"), says);
    const { body } = await testGateway.post("/v1/agent", ASK);
    expect(body.choices[0].message.content).toMatch(/Error: the agent writer ended without an answer/);
  });

  it("is told in words where it says nothing of what it is asked", async () => {
    const plain = `agents:\n  - { id: boss, model: m, tools: [helper] }\n  - { id: helper, model: m, system_prompt: You help. }\n`;
    const testGateway = await start(plain, (request) =>
      systemOf(request) === "You help."
        ? "Helped."
        : lastOf(request) === "Helped."
          ? "So be it."
          : [{ name: "helper", arguments: { task: "help me" } }],
    );
    const { body } = await testGateway.post("/v1/agent", ASK);
    expect(body.choices[0].message.content).toBe("So be it.");
    expect(testGateway.upstream.requests.map(lastOf)).toContain("Task: help me");
  });

  it("goes at most three deep", async () => {
    const chain = ["a", "b", "c", "d", "e"].map(
      (id, at, all) =>
        `  - { id: ${id}, model: m, system_prompt: I am ${id}., task: go, tools: [${all[at + 1] ?? ""}] }`,
    );
    const testGateway = await start(`agents:\n${chain.join("\n")}\n`, (request) => {
      const id = systemOf(request).at(-2) ?? "";
      const last = lastOf(request);
      const next = String.fromCharCode(id.charCodeAt(0) + 1);
      return request.body.messages.some(({ role }) => role === "tool") ? last : [{ name: next, arguments: {} }];
    });
    const { body } = await testGateway.post("/v1/agent", { ...ASK, agent: "a" });
    expect(body.choices[0].message.content).toMatch(/at most 3 deep/);
    expect(testGateway.upstream.requests.map(systemOf)).not.toContain("I am e.");
  });

  it("of one that has it as a tool is refused when the file is read", async () => {
    const circle = "agents:\n  - { id: a, tools: [b] }\n  - { id: b, actions: [{ id: x, tools: [a] }] }\n";
    await expect(startDeclared(circle, () => "")).rejects.toThrow(/agents\.0\.tools: .*a → b → a/);
  });

  it("cannot use more than its run has left", async () => {
    const tight = yaml("m").replace("tools: [writer]", "tools: [writer], budget: { calls: 2 }");
    const testGateway = await start(tight, (request) =>
      systemOf(request).includes("writer")
        ? [{ name: "notes", arguments: { text: String(request.body.messages.length) } }]
        : says(request),
    );
    await testGateway.post("/v1/agent", ASK);
    expect(testGateway.asked.length).toBeLessThanOrEqual(2);
  });
});

describe("what a nested run needs a person for", () => {
  it.each([false, true])(
    "reaches the run's own client, and is done once by the person's word (after a restart: %s)",
    async (restarts) => {
      const store = join(folder, "store.db");
      const file = yaml("m", "always");
      const testGateway = await start(file, says, store);
      const first = await testGateway.post("/v1/agent", ASK);
      const [call] = first.body.choices[0].message.tool_calls;
      expect([first.body.postel.outcome, call.function.name]).toEqual(["awaiting-human", "approve_tool_call"]);
      const { tool, arguments: args, plan } = JSON.parse(call.function.arguments);
      expect([tool, args, testGateway.asked]).toEqual(["notes", '{"text":"tea"}', []]);
      if (restarts) await testGateway.restart();
      const messages = [
        ...ASK.messages,
        first.body.choices[0].message,
        { role: "tool", tool_call_id: call.id, content: JSON.stringify({ decision: "approve", plan }) },
      ];
      const second = await testGateway.post("/v1/agent", { ...ASK, messages });
      expect(second.body.choices[0].message.content).toContain("It is written.");
      expect(testGateway.asked).toEqual(['POST /write {"text":"tea"}']);
    },
  );

  it("may be refused, which the agent within is told", async () => {
    const testGateway = await start(yaml("m", "always"), says, join(folder, "store.db"));
    const first = await testGateway.post("/v1/agent", { ...ASK, background: true });
    const path = `/v1/agent/runs/${first.body.id}`;
    const open = async () => (await testGateway.get("/v1/agent/interrupts")).body.data;
    await until(async () => (await open()).length > 0);
    const [{ id, plan }] = await open();
    const word = { decision: "reject", plan: plan.hash ?? plan, reason: "Not tea." };
    const decided = await testGateway.post(`${path}/interrupts/${id}`, word);
    expect(decided.status).toBe(200);
    await until(async () => (await testGateway.get(path)).body.status === "ended");
    const run = await testGateway.get(path);
    expect(run.body.outcome).toBe("answered");
    expect(testGateway.upstream.requests.map(lastOf).join("\n")).toContain("a person said no: Not tea.");
    expect(testGateway.asked).toEqual([]);
  });
});

/** Looks every 20 ms, for at most 4 s. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    if (await isSo()) return;
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error("It did not come to be.");
}
