// A call that an approver rejected is not put before them again while nothing has come since.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterEach, describe, expect, it } from "@jest/globals";
import {
  type ApprovalHouse,
  approvalHouse,
  type ShownPlan,
  shownIn,
  toldLast,
} from "../../support/approvals/approvalGateway.ts";
import type { Said } from "../../support/declared/startDeclared.ts";

let testGateway: ApprovalHouse | undefined;
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

const YAML = `
components:
  - id: svc
    type: http-client
    base_url: "\${env.SERVICE_URL}"
    actions:
      - { id: pay, method: POST, path: /pay, body: { to: "\${input.to}" }, approval: always }
      - { id: log, method: POST, path: /log, body: { what: "\${input.what}" } }
      - { id: look, path: /look, query: { of: "\${input.of}" } }
agents: [{ id: ops, model: m, tools: [{ tool: svc.pay, on_reject: continue }, svc.log, svc.look, ask_user] }]
`;

const PAY = { name: "svc.pay", arguments: { to: "a" } };
const LOG = { name: "svc.log", arguments: { what: "w" } };
const LOOK = { name: "svc.look", arguments: { of: "o" } };
const ASK = { name: "ask_user", arguments: { question: "Really?" } };

async function opened(...says: Said[]): Promise<readonly ShownPlan[]> {
  testGateway = await approvalHouse(() => YAML, says);
  return testGateway.ask();
}

async function reject(shown: readonly ShownPlan[], more: object = {}) {
  const answer = await (testGateway as ApprovalHouse).decide(
    shown.map(({ id, plan }) => ({ id, decision: { decision: "reject", plan, ...more } })),
  );
  return { shown: shownIn(answer), outcome: answer.body.postel.outcome };
}

describe("a rejected call", () => {
  it.each([
    ["at once", [[PAY]]],
    ["with its arguments written otherwise", [[{ ...PAY, arguments: { ...PAY.arguments } }]]],
    ["after a call that only reads", [[LOOK], [PAY]]],
    ["beside a call that only reads", [[LOOK, PAY]]],
    ["twice in one answer", [[PAY, PAY]]],
  ])("is not put before the approver again %s", async (_, turns) => {
    const { shown, outcome } = await reject(await opened([PAY], ...turns, "done"));
    expect([shown, outcome]).toEqual([[], "answered"]);
    expect(toldLast(testGateway as ApprovalHouse)).toContain("rejected before");
    expect(testGateway?.asked.filter((one) => one.startsWith("POST"))).toEqual([]);
  });

  it("is put before the approver again as rejected before, where words came with the rejection", async () => {
    const { shown } = await reject(await opened([PAY], [PAY], "done"), { reason: "Not on a Friday." });
    expect(shown).toMatchObject([{ tool: "svc.pay", rejected_before: true }]);
    expect(shown[0]?.reason).toMatch(/rejected before/);
    expect((await reject(shown)).outcome).toBe("answered");
  });

  it("is put before the approver again as rejected before, where another call had an effect since", async () => {
    const { shown } = await reject(await opened([PAY], [LOG], [PAY], "done"));
    expect(shown).toMatchObject([{ tool: "svc.pay", rejected_before: true }]);
    const answer = await (testGateway as ApprovalHouse).approve(shown);
    expect(answer.body.postel.outcome).toBe("answered");
    expect(testGateway?.asked).toEqual(['POST /log {"what":"w"}', 'POST /pay {"to":"a"}']);
  });

  it("is put before the approver again as rejected before, where a person has answered since", async () => {
    const { shown } = await reject(await opened([PAY], [ASK], [PAY], "done"));
    const answer = await (testGateway as ApprovalHouse).decide([
      { id: shown[0]?.id ?? "", decision: { decision: "answer", response: "Yes." } },
    ]);
    expect(shownIn(answer)).toMatchObject([{ tool: "svc.pay", rejected_before: true }]);
  });

  it("is another one where it would do something else", async () => {
    const other = { ...PAY, arguments: { to: "b" } };
    const { shown } = await reject(await opened([PAY], [other], "done"));
    expect(shown).toMatchObject([{ tool: "svc.pay" }]);
    expect(shown[0]?.rejected_before).toBeUndefined();
  });

  it("stays rejected after a restart", async () => {
    const { shown } = await reject(await opened([PAY], [ASK], [PAY], [PAY], "done"));
    await testGateway?.restart();
    const answer = await (testGateway as ApprovalHouse).decide([
      { id: shown[0]?.id ?? "", decision: { decision: "cancel" } },
    ]);
    expect([shownIn(answer), answer.body.postel.outcome]).toEqual([[], "answered"]);
  });

  it("is put before the approver in another run", async () => {
    await reject(await opened([PAY], "done", [PAY], "done"));
    const shown = await (testGateway as ApprovalHouse).ask();
    expect(shown[0]?.rejected_before).toBeUndefined();
  });
});

describe("a call that was rejected in a run within the run", () => {
  const within = (tools: string) =>
    `${YAML.slice(0, YAML.indexOf("agents:"))}agents:
  - { id: ops, model: m, tools: [writer, svc.log] }
  - { id: writer, model: m, tools: [${tools}] }
`;
  const WRITE = (task: string) => ({ name: "writer", arguments: { task } });
  const TOOLS = "{ tool: svc.pay, on_reject: continue }, svc.log";

  it.each([
    ["is not put before the approver again in a further one", [], []],
    ["is put before them again after an effect in between", [[LOG]], [{ tool: "svc.pay", rejected_before: true }]],
  ])("%s", async (_, between, wanted) => {
    const turns: Said[] = [[WRITE("a")], [PAY], "no", ...between, [WRITE("b")], [PAY], "no", "done"];
    testGateway = await approvalHouse(() => within(TOOLS), turns);
    const { shown } = await reject(await testGateway.ask());
    expect(shown).toMatchObject(wanted);
    expect(shown).toHaveLength(wanted.length);
  });
});
