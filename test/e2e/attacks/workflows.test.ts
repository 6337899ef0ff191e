// Hostile inputs of workflows: what a caller writes is data in every step, in the store and over a restart. The oracle is what the service was sent.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { type Declared, startDeclared } from "../../support/declared/startDeclared.ts";

const YAML = `
components:
  - id: service
    type: http-client
    base_url: "\${env.SERVICE_URL}"
    actions:
      - { id: echo, path: /echo, method: POST, body: { role: user, content: "\${input.text}" }, output: "\${response.body}" }
      - { id: keep, path: /keep, method: POST, body: { got: "\${input.text}" }, approval: always }
  - { id: writer, type: agent, model: m, task: "Write of \${input.text}" }
workflows:
  - id: twice
    steps:
      - { id: one, component: service, action: echo, input: { text: "\${input.text}" } }
      - { id: two, component: service, action: echo, input: { text: "\${steps.one}" } }
    output: { text: "\${input.text}", last: "\${steps.two}" }
  - id: kept
    steps:
      - { id: one, component: service, action: echo, input: { text: "\${input.text}" } }
      - { id: two, component: service, action: keep, input: { text: "\${input.text}" } }
    output: \${steps.two.body}
  - { id: written, component: writer, input: "\${input}" }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-hostile-workflows-"));
  process.env.POSTEL_CANARY_SECRET = "s3cret-canary";
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  delete process.env.POSTEL_CANARY_SECRET;
});

let testGateway: Declared;
afterEach(() => testGateway.close());

const bodyOf = (asked: string | undefined): unknown => JSON.parse(asked?.replace(/^\S+ \S+ /, "") ?? "null");

const INPUTS = [...idsOf("template_injection", "env_interpolation"), ...["SS-001", "SS-003", "SS-004"]];

describe("a hostile input of a workflow", () => {
  it.each([
    ...INPUTS.map((id) => [id, payload(id)]),
    ["of our own syntax", "${env.POSTEL_CANARY_SECRET} ${steps.two} ${input.text}"],
  ])("is data in each step, and in what a later one is given: %s", async (_id, text) => {
    testGateway = await startDeclared(YAML, () => "never");
    const { status, body } = await testGateway.post("/api/workflows/twice", { text });
    const first = { role: "user", content: text };
    const second = { role: "user", content: JSON.stringify(first) };
    expect(testGateway.asked.map(bodyOf)).toEqual([first, second]);
    expect([status, body.response]).toEqual([200, { text, last: JSON.stringify(second) }]);
    expect(JSON.stringify(body)).not.toContain("s3cret-canary");
  });

  it.each(["TI-009", "EI-003", "SS-001"])("stays within the words that its agent's model is asked: %s", async (id) => {
    testGateway = await startDeclared(YAML, () => "Done.");
    await testGateway.post("/api/workflows/written", { text: payload(id) });
    const [request] = testGateway.upstream.requests.filter(({ path }) => path.endsWith("/completions"));
    expect(request?.body.messages).toEqual([{ role: "user", content: `Task: Write of ${payload(id)}` }]);
  });

  it.each(["__proto__", "constructor", "toString"])("has no field that is not its own: %s", async (name) => {
    testGateway = await startDeclared(YAML, () => "never");
    const raw = `{"text": "x", ${JSON.stringify(name)}: {"polluted": true}}`;
    const response = await fetch(`${testGateway.url}/api/workflows/twice`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: raw,
    });
    expect([response.status, testGateway.asked]).toEqual([400, []]);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });
});

/** What is given is any object. */
const OF_OBJECTS = YAML.replaceAll("method: POST,", "method: POST, params: { text: { type: object } },");

describe("the stored state of a workflow", () => {
  it.each(["SS-001", "SS-003", "SS-004"])(
    "comes back as the data that it was, in another gateway's hands: %s",
    async (id) => {
      const store = join(folder, `${id}.db`);
      const text = JSON.parse(payload(id)) as object;
      testGateway = await startDeclared(OF_OBJECTS, () => "never", store);
      const { status, body } = await testGateway.post("/api/workflows/kept", { text });
      expect([status, bodyOf(testGateway.asked[0])]).toEqual([202, { role: "user", content: text }]);
      await testGateway.restart();
      const run = `/v1/agent/runs/${body.run_id}`;
      const { id: interrupt, plan } = body.interrupt;
      await testGateway.post(`${run}/interrupts/${interrupt}`, { decision: "approve", plan });
      await testGateway.post(`${run}/resume`, {});
      expect(testGateway.asked.slice(1).map(bodyOf)).toEqual([{ got: text }]);
      expect((await testGateway.get(run)).body).toMatchObject({
        outcome: "answered",
        response: JSON.stringify({ got: text }),
      });
      expect(readFileSync(store).includes("s3cret-canary")).toBe(false);
    },
  );

  it("waits on where its workflow is in the configuration no more, and goes on when it is put back", async () => {
    const store = join(folder, "gone.db");
    testGateway = await startDeclared(YAML, () => "never", store);
    const { body } = await testGateway.post("/api/workflows/kept", { text: "x" });
    const run = `/v1/agent/runs/${body.run_id}`;
    const { id, plan } = body.interrupt;
    const decide = () => testGateway.post(`${run}/interrupts/${id}`, { decision: "approve", plan });
    await testGateway.restart(YAML.replace("id: kept", "id: other"));
    const before = testGateway.asked.length;
    const early = await decide();
    await testGateway.post(`${run}/resume`, {});
    expect([early.status >= 400, testGateway.asked.slice(before), (await testGateway.get(run)).body.status]).toEqual([
      true,
      [],
      "waiting",
    ]);
    await testGateway.restart(YAML);
    await decide();
    await testGateway.post(`${run}/resume`, {});
    expect(testGateway.asked.slice(before)).toEqual(['POST /keep {"got":"x"}']);
    expect((await testGateway.get(run)).body.outcome).toBe("answered");
  });
});
