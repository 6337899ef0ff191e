// Workflows over HTTP: one agent, or steps with outputs wired; what they are given, what they answer, and whom they wait for.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Declared, lastOf, startDeclared } from "../../support/declared/startDeclared.ts";

const YAML = `
components:
  - id: search
    type: http-client
    base_url: "\${env.SERVICE_URL}"
    actions:
      - id: find
        path: /find?q=\${input.query}&n=\${input.most | 5}
        output: \${response.asked}
  - id: notes
    type: http-client
    base_url: "\${env.SERVICE_URL}"
    actions:
      - id: keep
        path: /keep
        method: POST
        body: { text: "\${input.text}", list: "\${input.list | null}" }
        params: { list: { type: [array, "null"] } }
      - { id: erase, path: /erase, method: POST, body: { id: "\${input.id}" }, approval: always }
  - id: writer
    type: agent
    model: m
    tools: [search]
    max_iterations: 2
    task: "Write about \${input.topic}."
workflow:
  component: writer
  input: \${input}
  output: \${output.response}
workflows:
  - id: tell
    description: Writes about a topic.
    component: writer
    task: "Tell of \${input.what}"
    input: { topic: "\${input.what}" }
    output: { told: "\${output.response}", of: "\${input.what}" }
  - id: look
    component: search
    input: \${input}
  - id: pipeline
    steps:
      - { id: first, component: search, input: { query: "\${input.topic}" } }
      - { id: then, component: notes, action: keep, input: { text: "found \${steps.first}", list: ["\${steps.first}"] } }
    output: { address: "\${steps.then.asked}", body: "\${steps.then.body}", of: "\${input.topic}" }
  - id: cleaning
    steps:
      - { id: gone, component: notes, action: erase, input: { id: "\${input.id}" } }
      - { id: kept, component: notes, action: keep, input: { text: "\${steps.gone.body}" } }
    output: \${steps.kept.body}
`;

let testGateway: Declared;
afterEach(() => testGateway.close());

describe("a workflow of one agent", () => {
  it("is that agent's run: its input fills the agent's task, its output is the response", async () => {
    testGateway = await startDeclared(YAML, () => "Done.");
    const { status, body } = await testGateway.post("/api/workflows/default", { topic: "bees" });
    expect([status, body]).toEqual([
      200,
      {
        response: "Done.",
        iterations: 1,
        messages: [
          { role: "user", content: "Task: Write about bees." },
          { role: "assistant", content: "Done." },
        ],
        run_id: expect.any(String),
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        outcome: "answered",
      },
    ]);
  });

  it("answers under its agent's id too, where it has no name of its own", async () => {
    testGateway = await startDeclared(YAML, () => "Done.");
    const { status, body } = await testGateway.post("/api/workflows/writer", { topic: "bees" });
    expect([status, body.response]).toEqual([200, "Done."]);
  });

  it("has its own task in the place of the action's, and an output of any shape", async () => {
    testGateway = await startDeclared(YAML, () => "Done.");
    const { body } = await testGateway.post("/api/workflows/tell", { what: "${input.x} ants" });
    expect(body.response).toEqual({ told: "Done.", of: "${input.x} ants" });
    const [request] = testGateway.upstream.requests;
    expect(request && lastOf(request)).toBe("Task: Tell of ${input.x} ants");
  });

  it("tells the calls of its tools and their results, and the last turn's words alone as the response", async () => {
    const says = ({ body }: { body: { messages: readonly unknown[] } }) =>
      body.messages.length > 2 ? "Bees it is." : [{ name: "search", arguments: { query: "bees" } }];
    testGateway = await startDeclared(YAML, says);
    const { body } = await testGateway.post("/api/workflows/default", { topic: "bees" });
    expect(testGateway.asked).toEqual(["GET /find?q=bees&n=5"]);
    expect([body.response, body.iterations]).toEqual(["Bees it is.", 2]);
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(body.messages[1].tool_calls[0].function).toEqual({ name: "search", arguments: '{"query":"bees"}' });
  });

  it("says in `error` which limit ended it", async () => {
    testGateway = await startDeclared(YAML, ({ body }) => [
      { name: "search", arguments: { query: `bees ${body.messages.length}` } },
    ]);
    const { status, body } = await testGateway.post("/api/workflows/default", { topic: "bees" });
    expect([status, body.outcome, body.error]).toEqual([200, "max-turns", "max_iterations_reached"]);
  });
});

describe("a workflow of steps", () => {
  it("gives each step what those before it brought, with its type, and no model is asked", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/pipeline", { topic: 'a "b" & c' });
    const found = "/find?q=a%20%22b%22%20%26%20c&n=5";
    const kept = JSON.stringify({ text: `found ${found}`, list: [found] });
    expect(testGateway.asked).toEqual([`GET ${found}`, `POST /keep ${kept}`]);
    expect([status, body.response]).toEqual([200, { address: "/keep", body: kept, of: 'a "b" & c' }]);
    expect([body.outcome, body.iterations]).toEqual(["answered", 3]);
    expect(testGateway.upstream.requests.filter(({ path }) => path.endsWith("/completions"))).toEqual([]);
  });

  it("may be one service, whose result is the response", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { body } = await testGateway.post("/api/workflows/look", { query: "x", most: 2 });
    expect([body.response, body.outcome]).toEqual(["/find?q=x&n=2", "answered"]);
  });

  it("waits for a person before a step that needs one, and goes on with the steps behind it", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/cleaning", { id: 7 });
    expect([status, body]).toEqual([
      202,
      {
        run_id: expect.any(String),
        outcome: "awaiting-human",
        interrupt: expect.objectContaining({ type: "approval", tool: "notes.erase", arguments: '{"id":"7"}' }),
      },
    ]);
    expect(testGateway.asked).toEqual([]);
    const run = `/v1/agent/runs/${body.run_id}`;
    const { id, plan } = body.interrupt;
    expect((await testGateway.post(`${run}/interrupts/${id}`, { decision: "approve", plan })).status).toBe(200);
    expect((await testGateway.post(`${run}/resume`, {})).status).toBe(200);
    expect(testGateway.asked).toEqual(['POST /erase {"id":"7"}', expect.stringContaining("POST /keep")]);
    const { body: after } = await testGateway.get(run);
    expect([after.outcome, after.response]).toEqual(["answered", expect.stringContaining("{")]);
  });

  it("ends where a person says no, and nothing behind it runs", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { body } = await testGateway.post("/api/workflows/cleaning", { id: "7" });
    const run = `/v1/agent/runs/${body.run_id}`;
    const { id, plan } = body.interrupt;
    await testGateway.post(`${run}/interrupts/${id}`, { decision: "reject", plan });
    await testGateway.post(`${run}/resume`, {});
    const { body: after } = await testGateway.get(run);
    expect([after.outcome, after.response, testGateway.asked]).toEqual(["rejected", undefined, []]);
  });

  it("does the same as often as it says so, and may give nothing", async () => {
    const steps = Array.from({ length: 7 }, (_, at) => `{ id: s${at}, component: search, input: { query: x } }`);
    const seven = `${YAML}  - { id: seven, steps: [${steps.join(", ")}], output: "" }\n`;
    testGateway = await startDeclared(seven, () => "never");
    const { body } = await testGateway.post("/api/workflows/seven", {});
    expect([body.outcome, body.response, testGateway.asked.length]).toEqual(["answered", "", 7]);
  });

  it("fails where a step does, says which and why, and runs nothing behind it", async () => {
    const broken = YAML.replace("output: ${response.asked}", "output: ${response.nothing}");
    testGateway = await startDeclared(broken, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/pipeline", { topic: "x" });
    expect([status, body.error.code]).toEqual([502, "step_failed"]);
    expect(body.error.message).toContain("The step `first` of the workflow failed: ${response.nothing} has no value");
    expect(testGateway.asked).toHaveLength(1);
  });

  it("fails before a step is run with what its component does not take", async () => {
    const broken = YAML.replace('type: [array, "null"]', "type: integer");
    testGateway = await startDeclared(broken, () => "never");
    const { body } = await testGateway.post("/api/workflows/pipeline", { topic: "x" });
    expect(body.error.message).toMatch(/The step `then` of the workflow failed: .*list/);
    expect(testGateway.asked).toHaveLength(1);
  });
});

describe("the route of workflows", () => {
  it.each([
    ["a field that is missing", { most: 2 }, "query", "`query` is missing: the workflow `look` needs query."],
    [
      "a field that it does not know",
      { query: "x", q: 1 },
      "q",
      "`q` is not known: the workflow `look` takes query, most.",
    ],
    [
      "a value that does not fit",
      { query: "x", most: "many" },
      "most",
      "`most` is refused: it must fit the JSON Schema",
    ],
    [
      "a switch that is none",
      { query: "x", stream: "yes" },
      "stream",
      "`stream` is refused: it must be true or false.",
    ],
  ])("refuses %s by its name", async (_what, input, param, message) => {
    testGateway = await startDeclared(YAML, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/look", input);
    expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_request", param]);
    expect(body.error.message).toContain(message);
    expect(testGateway.asked).toEqual([]);
  });

  it("refuses a body that is no object, and an unknown workflow with those that there are", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    expect((await testGateway.post("/api/workflows/look", [])).status).toBe(400);
    const { status, body } = await testGateway.post("/api/workflows/nope", {});
    expect([status, body.error.code]).toEqual([404, "workflow_not_found"]);
    expect(body.error.message).toContain("there is default, tell, look, pipeline, cleaning");
  });

  it("lists the workflows, each with the schema of its input", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { body } = await testGateway.get("/api/workflows");
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["default", "tell", "look", "pipeline", "cleaning"]);
    expect(body.data[1]).toEqual({
      id: "tell",
      object: "workflow",
      description: "Writes about a topic.",
      input: {
        type: "object",
        properties: { what: { type: "string" } },
        required: ["what"],
        additionalProperties: false,
      },
    });
    expect(body.data[2].input).toMatchObject({ required: ["query"], properties: { most: { default: 5 } } });
  });

  it.each([
    ["`stream: true`", { stream: true }, {}],
    ["what it accepts", {}, { accept: "text/event-stream" }],
  ])("streams the run's events to whoever asks so by %s, and last of all the answer", async (_how, asked, headers) => {
    testGateway = await startDeclared(YAML, () => "never");
    const response = await fetch(`${testGateway.url}/api/workflows/look`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query: "x", ...asked }),
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text())
      .trim()
      .split("\n\n")
      .map((line) => JSON.parse(line.replace(/^data: /, "")));
    expect(events.map(({ type }) => type)).toEqual([
      ...["run-start", "turn-start", "tool-start", "tool-result", "turn-end"],
      ...["turn-start", "text-delta", "turn-end", "run-end", "workflow-end"],
    ]);
    expect(events.at(-1)).toMatchObject({ response: "/find?q=x&n=5", outcome: "answered", iterations: 2 });
  });

  it("answers a stream whose workflow cannot begin with the status of its failure", async () => {
    testGateway = await startDeclared(YAML, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/look", { stream: true });
    expect([status, body.error.param]).toEqual([400, "query"]);
  });
});

describe("workflows and agents together", () => {
  const TOGETHER = YAML.replace(
    "workflow:\n",
    `  - { id: boss, type: agent, model: m, tools: [look] }
  - id: story
    type: workflow
    steps:
      - { id: found, component: search, input: { query: "\${input.topic}" } }
      - { id: told, component: writer, task: "Tell of \${steps.found}", input: { topic: "\${input.topic}" } }
      - { id: kept, component: notes, action: keep, input: { text: "\${steps.told.response}" } }
    output: { text: "\${steps.told.response}", all: "\${steps.kept.body}" }
  - id: outer
    type: workflow
    steps: [{ id: inner, component: story, input: { topic: "\${input.about}" } }]
    output: "\${steps.inner.response.text}!"
  - id: asking
    type: workflow
    steps: [{ id: inner, component: cleaning, input: { id: "7" } }]
workflow:
`,
  );

  it("have an agent do a step, with its own task, and give its answer to the next", async () => {
    testGateway = await startDeclared(TOGETHER, () => "Bees, then.");
    const { body } = await testGateway.post("/api/workflows/story", { topic: "bees" });
    const kept = JSON.stringify({ text: "Bees, then.", list: null });
    expect([body.outcome, body.response]).toEqual(["answered", { text: "Bees, then.", all: kept }]);
    expect(testGateway.asked).toEqual(["GET /find?q=bees&n=5", `POST /keep ${kept}`]);
    const [request] = testGateway.upstream.requests.filter(({ path }) => path.endsWith("/completions"));
    expect(request && lastOf(request)).toBe("Task: Tell of /find?q=bees&n=5");
  });

  it("run a workflow as a step of another", async () => {
    testGateway = await startDeclared(TOGETHER, () => "Bees, then.");
    const { body } = await testGateway.post("/api/workflows/outer", { about: "bees" });
    expect([body.outcome, body.response]).toEqual(["answered", "Bees, then.!"]);
  });

  it("let a model call a workflow as a tool", async () => {
    testGateway = await startDeclared(TOGETHER, ({ body }) =>
      body.messages.length > 1 ? "Found." : [{ name: "look", arguments: { query: "wax" } }],
    );
    const { body } = await testGateway.post("/v1/agent", {
      model: "boss",
      messages: [{ role: "user", content: "Look for wax." }],
    });
    expect([body.choices[0].message.content, testGateway.asked]).toEqual(["Found.", ["GET /find?q=wax&n=5"]]);
    const sent = JSON.stringify(testGateway.upstream.requests.at(-1)?.body.messages);
    expect(sent).toContain("/find?q=wax&n=5");
  });

  it("have what a workflow within another asks reach a person", async () => {
    testGateway = await startDeclared(TOGETHER, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/asking", {});
    expect([status, testGateway.asked]).toEqual([202, []]);
    const run = `/v1/agent/runs/${body.run_id}`;
    const { id, plan } = body.interrupt;
    expect((await testGateway.post(`${run}/interrupts/${id}`, { decision: "approve", plan })).status).toBe(200);
    expect((await testGateway.post(`${run}/resume`, {})).status).toBe(200);
    expect(testGateway.asked).toEqual(['POST /erase {"id":"7"}', expect.stringContaining("POST /keep")]);
    expect((await testGateway.get(run)).body).toMatchObject({ outcome: "answered", response: expect.anything() });
  });
});
