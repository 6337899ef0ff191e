// An approval is for everything that the configuration makes of a call: texts of the environment, agents, workflows, search paths.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type ApprovalHouse, approvalHouse } from "../../support/approvals/approvalGateway.ts";

let testGateway: ApprovalHouse | undefined;
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

const AGENT = "agents: [{ id: ops, model: m, tools: [it] }]";
const TO = [[{ name: "it", arguments: { to: "a@b.test" } }], "done"] as const;
const TASK = [[{ name: "it", arguments: { task: "x" } }], "done"] as const;

type Env = Readonly<Record<string, string>>;
type Side = { readonly yaml: string; readonly env?: Env };

/** The code of the answer to an approval under `after` of a call that was shown under `before`. */
async function approvedAfter(before: Side, after: Side, says: Parameters<typeof approvalHouse>[1] = TO) {
  testGateway = await approvalHouse(() => before.yaml, says, before.env);
  const shown = await testGateway.ask();
  expect(shown).toHaveLength(1);
  await testGateway.restart(after.yaml, after.env);
  const asked = testGateway.asked.length;
  const { status, body } = await testGateway.approve(shown);
  if (status === 409) expect(testGateway.asked).toHaveLength(asked);
  return { code: status === 409 ? body.error.code : body.postel.outcome, question: shown[0]?.question ?? "" };
}

function service(more: string, body = "{ to: '${input.to}' }") {
  return `
components:
  - { id: it, type: http-client, base_url: "\${env.SERVICE_URL}", method: POST, path: /mail, body: ${body}, approval: always${more} }
${AGENT}
`;
}

describe("the plan of a request that holds texts of the environment", () => {
  const path = service("").replace("/mail", "'/${env.PLACE}'");
  const text = service("", "{ to: '${input.to}', text: '${env.NOTE}' }");
  it.each([
    ["another place", path, "PLACE", "mail/one", "mail/all"],
    ["another address", service("", "{ to: '${input.to}', cc: '${env.NOTE}' }"), "NOTE", "a@b.test", "all@b.test"],
    ["another text", text, "NOTE", "Hello, dear friend.", "Pay now."],
    ["another value of a query", service(", query: { mode: '${env.MODE}' }"), "MODE", "dry-run", "for-real"],
    ["another field of a form", formOf("note: '${env.NOTE}'"), "NOTE", "dry-run", "for-real"],
  ])("is another one with %s, which is not shown", async (_, yaml, name, one, other) => {
    const { code, question } = await approvedAfter({ yaml, env: { [name]: one } }, { yaml, env: { [name]: other } });
    expect(code).toBe("plan_mismatch");
    expect(question).not.toContain(one);
  });

  it.each([
    ["a query", service(", query: { api_key: '${env.SHOP_KEY}' }")],
    ["a body", service("", "{ to: '${input.to}', token: '${env.SHOP_KEY}' }")],
    ["a form", formOf("secret: '${env.SHOP_KEY}'")],
    ["a header", service(", headers: { authorization: 'Basic ${env.SHOP_KEY}' }")],
  ])("is the same with another key in %s", async (_, yaml) => {
    const { code } = await approvedAfter(
      { yaml, env: { SHOP_KEY: "first+key/012==" } },
      { yaml, env: { SHOP_KEY: "second+key/987==" } },
    );
    expect(code).toBe("answered");
  });

  it.each([
    ["api_key", "k-1", "k-2"],
    ["access_token", "first", "second"],
    ["key", "AIzaSy0123456789abc", "AIzaSy9876543210xyz"],
  ])("is the same with another `%s` that the file writes into a query", async (name, one, other) => {
    const keyed = (value: string) => ({ yaml: service(`, query: { ${name}: ${value} }`) });
    const { code, question } = await approvedAfter(keyed(one), keyed(other));
    expect([code, question.includes(one)]).toEqual(["answered", false]);
  });

  it.each(["newrelic", "x-ot-span-context", "elastic-apm-traceparent", "x-span-id", "x-client-trace-id"])(
    "is the same with the tracing header %s",
    async (name) => {
      const { code } = await approvedAfter({ yaml: service("") }, { yaml: service(`, headers: { ${name}: one }`) });
      expect(code).toBe("answered");
    },
  );

  it("is another one with further places to be redirected to", async () => {
    const reading = (more: string) => ({
      yaml: service(more)
        .replace("method: POST", "method: GET")
        .replace("body: { to: '${input.to}' }, ", "query: { to: '${input.to}' }, "),
    });
    const { code } = await approvedAfter(reading(""), reading(", redirects: 2, redirect_origins: ['https://x.test']"));
    expect(code).toBe("plan_mismatch");
  });
});

function formOf(field: string): string {
  return service("").replace("body: { to: '${input.to}' }", `form: { to: '\${input.to}', ${field} }`);
}

describe("the plan of a command", () => {
  it("is another one with another PATH, which is shown", async () => {
    testGateway = await approvalHouse(
      (folder) => {
        for (const name of ["one", "two"]) {
          mkdirSync(join(folder, name), { recursive: true });
          copyFileSync("/bin/true", join(folder, name, "it"));
        }
        mkdirSync(join(folder, "work"), { recursive: true });
        return commandIn(folder, "one");
      },
      [[{ name: "it", arguments: { x: "v" } }], "done"],
    );
    const shown = await testGateway.ask();
    expect(shown[0]?.question).toContain(`PATH: ${join(testGateway.folder, "one")}`);
    await testGateway.restart(commandIn(testGateway.folder, "two"));
    const { body } = await testGateway.approve(shown);
    expect(body.error.code).toBe("plan_mismatch");
  });
});

function commandIn(folder: string, place: string): string {
  return `
components:
  - { id: it, type: shell, cwd: "${folder}/work", env: { PATH: "${folder}/${place}" }, command: [it, "\${input.x}"], approval: always }
${AGENT}
`;
}

describe("the plan of an agent's call", () => {
  const agent = (more: string, path = "/mail") => ({
    yaml: `
components:
  - { id: mail, type: http-client, base_url: "\${env.SERVICE_URL}", method: POST, path: ${path}, body: { to: "\${input.to}" }, headers: { authorization: "Bearer \${env.KEY}" } }
  - { id: other, type: http-client, base_url: "\${env.SERVICE_URL}", method: POST, path: /other, body: { to: "\${input.to}" } }
agents:
  - { id: ops, model: m, tools: [{ tool: it, approval: always }] }
  - { id: it, description: Helps., ${more} }
`,
    env: { KEY: "first-key-0123456789" },
  });
  const plain = agent("model: m, tools: [mail]");
  it.each([
    ["another model", agent("model: text-m, tools: [mail]")],
    ["another prompt", agent("model: m, tools: [mail], system_prompt: Be bold.")],
    ["another tool", agent("model: m, tools: [mail, other]")],
    ["another rule of a tool", agent("model: m, tools: [{ tool: mail, approval: never }]")],
    ["another place that a tool sends to", agent("model: m, tools: [mail]", "/all")],
  ])("is another one with %s", async (_, changed) => {
    expect((await approvedAfter(plain, changed, TASK)).code).toBe("plan_mismatch");
  });

  it("is the same after a restart with another key", async () => {
    const rotated = { ...plain, env: { KEY: "second-key-987654321" } };
    expect((await approvedAfter(plain, rotated, TASK)).code).toBe("answered");
  });
});

describe("the plan of a workflow's call", () => {
  const workflow = (path: string, key: string, prompt = "Write.") => ({
    yaml: `
components:
  - { id: mail, type: http-client, base_url: "\${env.SERVICE_URL}", method: POST, path: ${path}, body: { to: "\${input.to}" }, headers: { x-api-key: "${key}" } }
agents:
  - { id: ops, model: m, tools: [{ tool: it, approval: always }] }
  - { id: writer, model: m, system_prompt: ${prompt} }
workflows:
  - id: it
    steps:
      - { id: one, component: mail, input: { to: "\${input.to}" } }
      - { id: two, component: writer, task: "Tell of \${input.to}." }
`,
  });
  const plain = workflow("/mail", "one");
  it.each([
    ["another place that a step sends to", workflow("/all", "one")],
    ["another prompt of a step's agent", workflow("/mail", "one", "Shout.")],
  ])("is another one with %s", async (_, changed) => {
    expect((await approvedAfter(plain, changed)).code).toBe("plan_mismatch");
  });

  it("is the same after a restart with another key", async () => {
    expect((await approvedAfter(plain, workflow("/mail", "two"))).code).toBe("answered");
  });
});
