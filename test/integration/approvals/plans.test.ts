// An approval is for the effect that was shown: a changed configuration is told, and the interrupt goes on with the new plan.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type ApprovalHouse, approvalHouse, type ShownPlan, shownIn } from "../../support/approvals/approvalGateway.ts";

let testGateway: ApprovalHouse | undefined;
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

const AGENT = "agents: [{ id: ops, model: m, tools: [it] }]";

function service(
  more = "",
  { url = "${env.SERVICE_URL}", method = "POST", path = "/mail", body = "{ to: '${input.to}' }" } = {},
) {
  return `
components:
  - { id: it, type: http-client, base_url: "${url}", method: ${method}, path: ${path}, body: ${body}, approval: always${more} }
${AGENT}
`;
}

function shell(command: string, cwd: string, more = "") {
  return `
components: [{ id: it, type: shell, cwd: "${cwd}", command: ${command}, approval: always${more} }]
${AGENT}
`;
}

const TO = [[{ name: "it", arguments: { to: "a@b.test" } }], "done"] as const;
const X = [[{ name: "it", arguments: { x: "v" } }], "done"] as const;

async function opened(
  ...how: Parameters<typeof approvalHouse>
): Promise<{ testGateway: ApprovalHouse; shown: readonly ShownPlan[] }> {
  testGateway = await approvalHouse(...how);
  const shown = await testGateway.ask();
  expect(shown).toHaveLength(1);
  return { testGateway, shown };
}

/** Approves what was shown, which is refused, and then the plan that the refusal holds. */
async function approveTwice(asked: ApprovalHouse, shown: readonly ShownPlan[]) {
  const refused = await asked.approve(shown);
  expect([refused.status, refused.body.error.code]).toEqual([409, "plan_mismatch"]);
  const before = [...asked.asked];
  const renewed: readonly ShownPlan[] = refused.body.error.interrupts;
  expect(renewed.map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
  expect(refused.body.error.message).toContain(renewed[0]?.plan);
  const open = await asked.get("/v1/agent/interrupts");
  expect(open.body.data.map(({ plan }: ShownPlan) => plan)).toEqual(renewed.map(({ plan }) => plan));
  const second = await asked.approve(renewed);
  expect([second.status, second.body.postel.outcome]).toEqual([200, "answered"]);
  return { before, renewed };
}

describe("the plan of a request", () => {
  it.each([
    ["another path", service("", { path: "/mail/all" }), 'POST /mail/all {"to":"a@b.test"}'],
    ["another method", service("", { method: "PUT" }), 'PUT /mail {"to":"a@b.test"}'],
    [
      "another body",
      service("", { body: "{ to: '${input.to}', cc: all }" }),
      'POST /mail {"to":"a@b.test","cc":"all"}',
    ],
    ["another header", service(", headers: { x-tenant: two }"), 'POST /mail {"to":"a@b.test"}'],
    ["another host", service("", { url: "${env.SERVICE_URL}".replace("}", "_NAME}") }), 'POST /mail {"to":"a@b.test"}'],
    [
      "a form",
      service("", { body: "null, form: { to: '${input.to}' }" }).replace("body: null, ", ""),
      "POST /mail to=a%40b.test",
    ],
  ])("is another one with %s", async (_, changed, sent) => {
    const { testGateway, shown } = await opened(() => service(), TO);
    const name = { SERVICE_URL_NAME: "" };
    const url = /http:\/\/[^/]+/.exec(shown[0]?.question ?? "")?.[0] ?? "";
    name.SERVICE_URL_NAME = url.replace("127.0.0.1", "localhost");
    await testGateway.restart(changed, name);
    const { before } = await approveTwice(testGateway, shown);
    expect(before).toEqual([]);
    expect(testGateway.asked).toEqual([sent]);
  });

  it("is the same after a restart, with another key, another agent header and another request id", async () => {
    const headers =
      ", headers: { authorization: 'Bearer ${env.KEY}', x-api-key: '${env.KEY}', user-agent: a/1, x-request-id: one }";
    const keyed = service(headers, { body: "{ to: '${input.to}', key: '${env.KEY}' }" });
    const { testGateway, shown } = await opened(() => keyed, TO, { KEY: "first-key-0123456789" });
    expect(shown[0]?.question).not.toContain("first-key");
    expect(shown[0]?.question).toContain("headers: authorization, x-api-key");
    const changed = keyed.replace("a/1, x-request-id: one", "b/2, traceparent: two");
    await testGateway.restart(changed, { KEY: "second-key-987654321" });
    const answer = await testGateway.approve(shown);
    expect(answer.body.postel.outcome).toBe("answered");
    expect(testGateway.asked).toEqual(['POST /mail {"to":"a@b.test","key":"second-key-987654321"}']);
  });

  it("holds what its agent's entry adds to each call", async () => {
    const entry = (tenant: string) =>
      service("", { path: "'/t/${context.tenant}'" }).replace("[it]", `[{ tool: it, context: { tenant: ${tenant} } }]`);
    const { testGateway, shown } = await opened(() => entry("one"), TO);
    expect(shown[0]?.question).toContain("/t/one");
    await testGateway.restart(entry("two"));
    await approveTwice(testGateway, shown);
    expect(testGateway.asked).toEqual(['POST /t/two {"to":"a@b.test"}']);
  });

  it("keeps every digit of a number", async () => {
    const digits = service("", { path: "'/users/${input.to}'", body: "{ id: '${input.to}' }" });
    const says = [
      [
        {
          name: "it",
          arguments: { to: rawJSON("9007199254740993") },
        },
      ],
      "done",
    ] as const;
    const { testGateway, shown } = await opened(
      () => digits.replace("approval", "params: { to: { type: integer } }, approval"),
      says,
    );
    expect(shown[0]?.question).toContain("/users/9007199254740993");
    await testGateway.approve(shown);
    expect(testGateway.asked).toEqual(['POST /users/9007199254740993 {"id":9007199254740993}']);
  });
});

describe("an edit", () => {
  it("is refused where JSON has lost digits of a number", async () => {
    const { testGateway, shown } = await opened(() => service(), TO);
    const [{ id, plan } = { id: "", plan: "" }] = shown;
    const edit = { decision: "edit", plan, arguments: { to: [rawJSON("9007199254740993")] } };
    const answer = await testGateway.decide([{ id, decision: edit }]);
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining("more digits")]);
  });
});

describe("the plan of a command", () => {
  it.each([
    [
      "another program",
      (folder: string) => shell(`[cp, --suffix, "\${input.x}", "${folder}/postel.yaml", "${folder}/ran"]`, folder),
    ],
    ["a word less", (folder: string) => shell(`[echo, "\${input.x}"]`, folder)],
    ["another folder", (folder: string) => shell('[echo, hi, "${input.x}"]', join(folder, "below"))],
    ["a further variable", (folder: string) => shell('[echo, hi, "${input.x}"]', folder, ", env: { LD_DEBUG: all }")],
    ["other input", (folder: string) => shell('[echo, hi, "${input.x}"]', folder, ", stdin: 'more ${input.x}'")],
  ])("is another one with %s", async (_, changed) => {
    const { testGateway, shown } = await opened((folder) => shell('[echo, hi, "${input.x}"]', folder), X);
    mkdirSync(join(testGateway.folder, "below"));
    await testGateway.restart(changed(testGateway.folder));
    const refused = await testGateway.approve(shown);
    expect([refused.status, refused.body.error.code]).toEqual([409, "plan_mismatch"]);
    expect(existsSync(join(testGateway.folder, "ran"))).toBe(false);
    const second = await testGateway.approve(refused.body.error.interrupts);
    expect(second.body.postel.outcome).toBe("answered");
  });

  it("shows the folder, the variables and the input, and is the same after a restart with another key", async () => {
    const yaml = (folder: string) =>
      shell(
        '[cat, "-", "${input.x}"]',
        folder,
        ", env: { TOKEN: '${env.KEY}' }, stdin: 'key ${env.KEY} for ${input.x}'",
      );
    const { testGateway, shown } = await opened(yaml, X, { KEY: "first-key-0123456789" });
    expect(shown[0]?.question).toBe(
      `May it run this command? cat - v\nfolder: ${testGateway.folder}\nenvironment: TOKEN\nstandard input: "key [redacted] for v"`,
    );
    await testGateway.restart(undefined, { KEY: "second-key-987654321" });
    expect((await testGateway.approve(shown)).status).toBe(200);
  });
});

describe("a changed plan", () => {
  it("is told for all calls of a request, none of which counts", async () => {
    const two = [
      { name: "it", arguments: { to: "a@b.test" } },
      { name: "it", arguments: { to: "c@d.test" } },
    ];
    testGateway = await approvalHouse(() => service(), [two, "done"]);
    const shown = await testGateway.ask();
    await testGateway.restart(service("", { path: "/new" }));
    const refused = await testGateway.approve(shown);
    expect([refused.status, refused.body.error.interrupts.length]).toEqual([409, 2]);
    expect((await testGateway.approve(refused.body.error.interrupts)).body.postel.outcome).toBe("answered");
    expect(testGateway.asked.toSorted()).toEqual(['POST /new {"to":"a@b.test"}', 'POST /new {"to":"c@d.test"}']);
  });

  it("may be rejected, by the plan that is shown now", async () => {
    const { testGateway, shown } = await opened(() => service(), TO);
    await testGateway.restart(service("", { path: "/new" }));
    const { body } = await testGateway.approve(shown);
    const [{ id, plan }] = body.error.interrupts;
    const answer = await testGateway.decide([{ id, decision: { decision: "reject", plan } }]);
    expect([answer.body.postel.outcome, testGateway.asked]).toEqual(["answered", []]);
  });

  it("is told on the runs' route, and on /chat, where the next word is about it", async () => {
    const { testGateway, shown } = await opened(() => service(), [TO[0], TO[0], "done"]);
    await testGateway.restart(service("", { path: "/new" }));
    const [first] = shown;
    const { body: list } = await testGateway.get("/v1/agent/interrupts");
    const path = `/v1/agent/runs/${list.data[0].run_id}/interrupts/${first?.id}`;
    const refused = await testGateway.post(path, { decision: "approve", plan: first?.plan });
    expect([refused.status, refused.body.error.code]).toEqual([409, "plan_mismatch"]);
    const again = await testGateway.post(path, { decision: "approve", plan: refused.body.error.interrupts[0].plan });
    expect(again.status).toBe(200);

    const chat = (more: object) => testGateway.post("/chat", { session_id: "s", ...more });
    const { body: asked } = await chat({ question: "Go.", agent: "ops", mode: "agent" });
    await testGateway.restart(service("", { path: "/newer" }));
    const word = { interrupt_response: { id: asked.interrupt.id, response: "approve" } };
    const changed = await chat(word);
    expect([changed.status, changed.body.error.code]).toEqual([409, "plan_mismatch"]);
    expect(changed.body.error.message).toContain("/newer");
    expect((await chat(word)).body.answer).toBe("done");
    expect(testGateway.asked).toEqual(['POST /newer {"to":"a@b.test"}']);
  });

  it("is another tool's rules too, and a tool that is gone is named", async () => {
    const { testGateway, shown } = await opened(() => service(), TO);
    await testGateway.restart(service().replace("id: it,", "id: other,").replace("[it]", "[other]"));
    const gone = await testGateway.approve(shown);
    expect([gone.status, gone.body.error.code]).toEqual([409, "plan_mismatch"]);
    expect(gone.body.error.message).toContain("There is no tool it now");
    await testGateway.restart(service());
    expect((await testGateway.approve(shown)).body.postel.outcome).toBe("answered");
  });
});

describe("an approval by a word on /chat", () => {
  /** A call that waits in a session and was shown on /chat, and what its client says of it. */
  async function shownOnChat() {
    const asked = await approvalHouse(() => service(), TO);
    testGateway = asked;
    const chat = (more: object) => asked.post("/chat", { session_id: "s", ...more });
    const { body } = await chat({ question: "Go.", agent: "ops", mode: "agent" });
    const interrupt: { readonly id: string; readonly plan: string } = body.interrupt;
    const say = (response: unknown) => chat({ interrupt_response: { id: interrupt.id, response } });
    /** Another route's approval of the plan that is no more, by which the plan is renewed. */
    const renew = async (path: string): Promise<string> => {
      await asked.restart(service("", { path }));
      const refused = await asked.decide([
        { id: interrupt.id, decision: { decision: "approve", plan: interrupt.plan } },
      ]);
      expect([refused.status, refused.body.error.code]).toEqual([409, "plan_mismatch"]);
      return refused.body.error.interrupts[0].plan;
    };
    return { asked, interrupt, say, renew };
  }
  const MISMATCH = { status: 409, body: { error: { code: "plan_mismatch" } } };

  it("runs the plan that /chat showed, also after a restart", async () => {
    const { asked, say } = await shownOnChat();
    await asked.restart(service());
    expect((await say("approve")).body.answer).toBe("done");
    expect(asked.asked).toEqual(['POST /mail {"to":"a@b.test"}']);
  });

  it("never runs a plan that another route renewed; the 409 shows it, and the next word is about it", async () => {
    const { asked, interrupt, say, renew } = await shownOnChat();
    const plan = await renew("/mail/all");
    const refused = await say("approve");
    expect(refused).toMatchObject(MISMATCH);
    expect(refused.body.error.message).toContain("/mail/all");
    expect(refused.body.error.interrupts).toEqual([expect.objectContaining({ id: interrupt.id, plan })]);
    expect(asked.asked).toEqual([]);
    expect((await say("approve")).body.answer).toBe("done");
    expect(asked.asked).toEqual(['POST /mail/all {"to":"a@b.test"}']);
  });

  it("is refused anew where the plan was renewed once more after the 409", async () => {
    const { asked, say, renew } = await shownOnChat();
    await renew("/one");
    expect(await say("approve")).toMatchObject(MISMATCH);
    await renew("/two");
    expect(await say("approve")).toMatchObject(MISMATCH);
    expect(asked.asked).toEqual([]);
  });

  it("is refused where only another route showed the plan", async () => {
    const asked = await approvalHouse(() => service(), TO);
    testGateway = asked;
    const messages = [{ role: "user", content: "Go." }];
    const [first] = shownIn(await asked.post("/v1/agent", { model: "ops", messages, session_id: "s" }));
    const say = () =>
      asked.post("/chat", { session_id: "s", interrupt_response: { id: first?.id, response: "approve" } });
    expect(await say()).toMatchObject(MISMATCH);
    expect(asked.asked).toEqual([]);
    expect((await say()).body.answer).toBe("done");
  });

  it("may name the plan, which counts only while it is the one that waits", async () => {
    const { asked, interrupt, say, renew } = await shownOnChat();
    const plan = await renew("/new");
    expect(await say({ decision: "approve", plan: interrupt.plan })).toMatchObject(MISMATCH);
    expect((await say({ decision: "approve", plan })).body.answer).toBe("done");
    expect(asked.asked).toEqual(['POST /new {"to":"a@b.test"}']);
  });

  it("is not needed to reject: a renewed plan is rejected by a word", async () => {
    const { asked, say, renew } = await shownOnChat();
    await renew("/new");
    expect((await say("reject")).status).toBe(200);
    expect(asked.asked).toEqual([]);
  });
});

describe("decisions of one request", () => {
  it("count for nothing where two of one call differ", async () => {
    const { testGateway, shown } = await opened(() => service(), TO);
    const [{ id, plan } = { id: "", plan: "" }] = shown;
    const approve = { decision: "approve", plan };
    for (const other of [
      { decision: "reject", plan },
      { decision: "edit", plan, arguments: { to: "x@y.test" } },
    ]) {
      const both = [
        { id, decision: approve },
        { id, decision: other },
      ];
      for (const given of [both, both.toReversed()]) {
        const refused = await testGateway.decide(given);
        expect([refused.status, refused.body.error.code]).toEqual([409, "decision_conflict"]);
      }
    }
    expect(testGateway.asked).toEqual([]);
    const answer = await testGateway.decide([
      { id, decision: approve },
      { id, decision: { plan, decision: "approve" } },
    ]);
    expect([answer.body.postel.outcome, testGateway.asked.length]).toEqual(["answered", 1]);
  });

  it("count for nothing where one of them is refused", async () => {
    const two = [
      { name: "it", arguments: { to: "a@b.test" } },
      { name: "it", arguments: { to: "c@d.test" } },
    ];
    testGateway = await approvalHouse(() => service(), [two, "done"]);
    const [first, second] = await testGateway.ask();
    const wrong = { ...(second as ShownPlan), plan: "0".repeat(64) };
    expect((await testGateway.approve([first as ShownPlan, wrong])).status).toBe(409);
    expect(testGateway.asked).toEqual([]);
    const answer = await testGateway.approve([first as ShownPlan, second as ShownPlan]);
    expect([shownIn(answer), testGateway.asked.length]).toEqual([[], 2]);
  });
});
