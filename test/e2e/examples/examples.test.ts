// research-agent.yaml and support-agent.yaml, as they are, before models of every manner: each cell shows that the tool ran, with which argument, and how it ended.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Manner, ModelServer, type Script } from "../../support/examples/ModelServer.ts";
import {
  ask,
  type Example,
  runWorkflow,
  type Service,
  startExample,
  startService,
} from "../../support/examples/startExample.ts";

// Each cell starts a process, on a machine that may be busy.

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function opened<One extends { close(): Promise<void> }>(one: One): One {
  open.push(one);
  return one;
}

const MANNERS: readonly Manner[] = ["native", "leaks-json", "leaks-xml", "refuses", "drops"];
const WAYS = [false, true];

describe("research-agent.yaml", () => {
  const QUERY = 'bees & "honey"';
  const script: Script = {
    steps: [{ name: "web-search", arguments: { query: QUERY, max_results: 3 } }, "Bees dance (RESULT-7f3a)."],
    sign: "max_results",
  };

  it.each(MANNERS)("searches and answers with a model whose server %s", async (manner) => {
    const model = opened(await ModelServer.start("chat", manner, () => script));
    const search = opened(await startService({ results: [{ title: "RESULT-7f3a" }] }));
    const { url } = opened(
      await startExample("research-agent", {
        ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "k3y-of-the-model" },
        ...{ SEARCH_BASE_URL: search.url, SEARCH_API_KEY: "k3y-of-the-search" },
      }),
    );
    for (const stream of WAYS) {
      search.asked.length = 0;
      const { status, body } = await runWorkflow(url, "default", { query: "How do bees dance?" }, stream);
      expect(search.asked).toEqual([{ what: "POST /search", body: { query: QUERY, max_results: 3 } }]);
      expect([status, body.outcome, body.response]).toEqual([200, "answered", "Bees dance (RESULT-7f3a)."]);
      expect([body.iterations, body.messages.length]).toEqual([2, 4]);
    }
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain("RESULT-7f3a");
    // A run is watched as it comes, whoever reads it.
    expect(model.asked.every(({ stream }) => stream === true)).toBe(true);
  });

  it("answers under its agent's id, and names the input that is missing", async () => {
    const model = opened(await ModelServer.start("chat", "native", () => ({ steps: ["Bees dance."], sign: "" })));
    const { url } = opened(
      await startExample("research-agent", {
        ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "k" },
        ...{ SEARCH_BASE_URL: "http://127.0.0.1:9", SEARCH_API_KEY: "k" },
      }),
    );
    const { body } = await ask(`${url}/api/workflows/research-agent`, { query: "Bees?" });
    expect([body.response, body.outcome]).toEqual(["Bees dance.", "answered"]);
    const refused = await ask(`${url}/api/workflows/default`, { question: "Bees?" });
    expect([refused.status, refused.body.error.param]).toEqual([400, "query"]);
  });
});

describe("support-agent.yaml", () => {
  const MAIL = { to: "ann@example.org", subject: "Your order", body: 'It is on its way: "A 17".' };
  const ticket: Script = {
    steps: [
      { name: "order-lookup", arguments: { order_id: "A 17/x" } },
      { name: "send_email", arguments: MAIL },
      "I have written to Ann.",
    ],
    sign: "order_id",
  };
  const TICKET = { customer_question: "Where is my order?", customer_id: "c-9", ticket_id: 4711 };

  async function start(manner: Manner, script: Script): Promise<Support> {
    const model = opened(await ModelServer.start("messages", manner, () => script));
    const orders = opened(await startService({ order: { id: "A 17/x", state: "ORDER-ON-ITS-WAY" } }));
    const mail = opened(await startService({ sent: "MAIL-SENT" }));
    const env = {
      ANTHROPIC_BASE_URL: model.baseUrl,
      ANTHROPIC_API_KEY: "k",
      ORDERS_URL: orders.url,
      MAIL_URL: mail.url,
    };
    return { model, orders, mail, gateway: opened(await startExample("support-agent", env)) };
  }

  it.each(MANNERS)(
    "looks the order up, stops at its approval and goes on after it, with a model whose server %s",
    async (manner) => {
      const { model, orders, mail, gateway } = await start(manner, ticket);
      for (const stream of WAYS) {
        mail.asked.length = 0;
        orders.asked.length = 0;
        const { status, body } = await runWorkflow(gateway.url, "support", TICKET, stream);
        expect(orders.asked.map(({ what }) => what)).toEqual(["GET /orders/A%2017%2Fx"]);
        expect([status, body.outcome, mail.asked]).toEqual([202, "awaiting-human", []]);
        expect(body.interrupt).toMatchObject({ type: "approval", tool: "send_email" });
        expect(JSON.parse(body.interrupt.arguments)).toEqual(MAIL);
        const run = `${gateway.url}/v1/agent/runs/${body.run_id}`;
        const { id, plan } = body.interrupt;
        expect((await ask(`${run}/interrupts/${id}`, { decision: "approve", plan })).status).toBe(200);
        const resumed = await ask(`${run}/resume`, {});
        expect(resumed.body.choices[0].message.content).toContain("I have written to Ann.");
        expect(mail.asked).toEqual([{ what: "POST /send", body: MAIL }]);
        const after = await ask(run);
        expect([after.body.outcome, after.body.response]).toEqual(["answered", "I have written to Ann."]);
      }
      const [first] = model.asked;
      expect(JSON.stringify(first?.messages)).toContain("Where is my order?");
      expect(JSON.stringify(first?.messages)).toContain("4711");
      expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain("MAIL-SENT");
    },
  );

  it.each(MANNERS)("answers `faq` to its end with no tools on offer, with a model whose server %s", async (manner) => {
    const { model, gateway } = await start(manner, { steps: ["Within two days."], sign: "" });
    for (const stream of WAYS) {
      const { status, body } = await runWorkflow(gateway.url, "faq", { customer_question: "How long?" }, stream);
      expect([status, body.outcome, body.response]).toEqual([200, "answered", "Within two days."]);
    }
    expect(model.asked).toHaveLength(2);
    for (const asked of model.asked) {
      expect(asked.tools).toBeUndefined();
      expect(JSON.stringify(asked)).not.toContain("order_id");
    }
  });
});

interface Support {
  readonly model: ModelServer;
  readonly orders: Service;
  readonly mail: Service;
  readonly gateway: Example;
}
