// Operations wherever a tool may stand, what waits for a person, whose credentials go with a call, and a run that is recorded and replayed.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { leaksOf } from "../../support/canaries.ts";
import { type Shop, startShop } from "../../support/openapi/openApiGateway.ts";

let testGateway: Shop | undefined;
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

async function start(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<Shop> {
  testGateway = await startShop(yaml, env);
  return testGateway;
}

/** The keys of a component before the shop. */
const SHOP = 'type: openapi, document: samovar.yaml, base_url: "${env.SHOP_URL}/api"';
const KEY = "security: { shop_key: key-of-the-shop-4711 }";
const ORDERS = 'operations: { tags: [orders], except: ["refund*"] }';

const lines = (shop: Shop): readonly string[] => shop.shop.arrived.map(({ line }) => line);

async function post(shop: Shop, path: string, body: object): Promise<{ status: number; text: string }> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`${shop.gateway.url}${path}`, init);
  return { status: response.status, text: await response.text() };
}

describe("an operation is a tool like any other", () => {
  it("one of a component, under a name of the agent's own", async () => {
    const shop = await start(`
agents: [{ id: buyer, model: m, tools: [{ component: shop, action: getOrder, name: look, description: Looks. }] }]
components: [{ id: shop, ${SHOP}, ${KEY}, ${ORDERS} }]
`);
    await shop.call(["look", { order_id: 3 }]);
    expect(lines(shop)).toEqual(["GET /api/orders/3"]);
    expect(shop.model.requests.at(-1)?.body.tools).toHaveLength(1);
  });

  it("of a component that stands whole in an agent's list", async () => {
    const shop = await start(`
agents: [{ id: buyer, model: m, tools: [{ component: { id: inner, ${SHOP}, ${KEY}, ${ORDERS} }, action: trackShipment, name: track }] }]
`);
    await shop.call(["track", { shipment_id: 9 }]);
    expect(lines(shop)).toEqual(["GET /api/shipments/9"]);
  });

  it("as steps of a workflow, each with what came of the one before", async () => {
    const shop = await start(`
components: [{ id: shop, ${SHOP}, ${KEY}, approval: never, ${ORDERS} }]
workflows:
  - id: reorder
    steps:
      - { id: old, component: shop, action: getOrder, input: { order_id: "\${input.order}" } }
      - { id: new, component: shop, action: createOrder, input: { items: [{ tea_id: "\${steps.old.teas.0.id}", count: 2 }] } }
    output: "\${steps.new.body}"
`);
    const { status, text } = await post(shop, "/api/workflows/reorder", { order: 3 });
    expect([status, text]).toEqual([200, expect.stringContaining("tea_id")]);
    expect(lines(shop)).toEqual(["GET /api/orders/3", "POST /api/orders"]);
    expect(shop.shop.arrived[1]?.body).toBe('{"items":[{"tea_id":7,"count":2}]}');
  });

  it("with a header that the agent's entry fills, and no model sees", async () => {
    const shop = await start(`
agents: [{ id: buyer, model: m, tools: [{ component: shop, context: { branch: Uji } }] }]
components: [{ id: shop, ${SHOP}, ${KEY}, operations: { ids: [getOrder] }, headers: { X-Branch: "\${context.branch}" } }]
`);
    await shop.call(["shop", { order_id: 3 }]);
    await shop.call(["shop.getOrder", { order_id: 3 }]);
    expect(shop.shop.arrived.at(-1)?.headers["x-branch"]).toBe("Uji");
    expect(JSON.stringify(shop.model.requests.map(({ body }) => body.tools))).not.toMatch(/branch|Uji/);
  });

  it("with sources for whoever shows them, and a question where the operator wants one", async () => {
    const shop = await start(`
agents: [{ id: buyer, model: m, tools: [shop] }]
components:
  - { id: shop, ${SHOP}, ${KEY}, ${ORDERS}, overrides: { listOrders: { sources: "\${response.teas}" }, getOrder: { interrupts: { rare: { when: { required: [teas] }, message: "Really?" } } } } }
`);
    const { text } = await post(shop, "/chat", {
      ...{ agent: "buyer", session_id: "s1", mode: "agent" },
      question: JSON.stringify([["shop.listOrders", {}]]),
    });
    expect(text).toContain('"title":"Oolong"');
    const answer = await shop.ask([["shop.getOrder", { order_id: 3 }]]);
    expect(JSON.stringify(answer)).toContain("Really?");
  });
});

describe("what does more than read", () => {
  const YAML = `
agents: [{ id: buyer, model: m, tools: [shop] }]
components: [{ id: shop, ${SHOP}, ${KEY}, ${ORDERS} }]
`;

  it("waits until a person agrees, and is then sent once", async () => {
    const shop = await start(YAML);
    const calls = [["shop.cancelOrder", { order_id: 3 }]] as const;
    const waiting = await shop.ask(calls);
    const [asked] = waiting.choices[0]?.message.tool_calls ?? [];
    expect(asked).toMatchObject({ function: { name: "approve_tool_call" } });
    expect(lines(shop)).toEqual([]);
    const { plan, question } = JSON.parse((asked as { function: { arguments: string } }).function.arguments) as {
      plan: string;
      question: string;
    };
    expect(question).toMatch(/^May shop\.cancelOrder send this request\? POST http:\S+\/api\/orders\/3\/cancel/);
    const messages = [
      { role: "user", content: JSON.stringify(calls) },
      waiting.choices[0]?.message,
      { role: "tool", tool_call_id: asked?.id, content: JSON.stringify({ decision: "approve", plan }) },
    ];
    const { status } = await post(shop, "/v1/agent/chat/completions", { model: "buyer", messages });
    expect([status, lines(shop)]).toEqual([200, ["POST /api/orders/3/cancel"]]);
  });

  it("is refused to an agent that never waits for anybody, before it starts", async () => {
    await expect(start(YAML.replace("model: m,", "model: m, non_interactive: true,"))).rejects.toThrow(
      /buyer is `non_interactive`.*shop\.createOrder/s,
    );
  });
});

describe("credentials of a document's schemes", () => {
  const ANNS = "Zq7-anns_Shop.4417";
  const VERAS = "Yw3-veras_Password.8821";
  const QUERY = "Xv9-query_Key.5533";

  it("are in no prompt, event, log, store or transcript, however the service repeats them", async () => {
    const shop = await start(
      `
agents: [{ id: buyer, model: m, tools: [shop] }]
owners: { local: { credentials: { SHOP: "\${env.ANNS}" } } }
components:
  - id: shop
    type: openapi
    document: samovar.yaml
    base_url: "\${env.SHOP_URL}/api"
    approval: never
    operations: { ids: [getOrder, whoAmI, listStock, createOrder, getTea] }
    security: { shop_key: "\${owner.SHOP}", staff_login: { username: vera, password: "\${env.VERAS}" }, staff_query: "\${env.QUERY}" }
`,
      { ANNS, VERAS, QUERY },
    );
    const calls = [
      ["shop.getOrder", { order_id: 3 }],
      ["shop.whoAmI", {}],
      ["shop.listStock", {}],
      ["shop.createOrder", { items: [{ tea_id: 1, count: 1 }] }],
      ["shop.getTea", { tea_id: 404 }],
    ] as const;
    const answer = await shop.ask(calls);
    const { text } = await post(shop, "/v1/agent/chat/completions", {
      ...{ model: "buyer", stream: true, session_id: "s1", mode: "agent" },
      messages: [{ role: "user", content: JSON.stringify(calls) }],
    });
    expect(shop.shop.arrived[0]?.headers["x-shop-key"]).toBe(ANNS);
    expect(shop.shop.arrived.some(({ line }) => line.includes(QUERY))).toBe(true);
    await shop.stop();
    const prompts = JSON.stringify(shop.model.requests);
    expect(prompts).toContain("[redacted]");
    const secrets = [ANNS, VERAS, QUERY, Buffer.from(`vera:${VERAS}`).toString("base64")];
    const places = {
      answer: JSON.stringify(answer),
      text,
      prompts,
      log: shop.logged(),
      store: shop.kept("kept.db"),
      transcripts: shop.kept("recorded"),
    };
    for (const [place, written] of Object.entries(places)) {
      expect([place, written.length > 100]).toEqual([place, true]);
      expect([place, leaksOf(written, secrets)]).toEqual([place, []]);
    }
  });

  it("of an owner who has none are missed before anything is sent", async () => {
    const shop = await start(
      `
server: { api_keys: [{ name: ann, key: gateway-key-of-ann }, { name: none, key: gateway-key-of-nobody }] }
agents: [{ id: buyer, model: m, tools: [shop] }]
owners: { ann: { credentials: { SHOP: "\${env.ANNS}" } } }
components: [{ id: shop, ${SHOP}, ${ORDERS}, security: { shop_key: "\${owner.SHOP}" } }]
`,
      { ANNS },
    );
    const body = JSON.stringify({
      model: "buyer",
      messages: [{ role: "user", content: '[["shop.getOrder",{"order_id":3}]]' }],
    });
    const headers = { authorization: "Bearer gateway-key-of-nobody", "content-type": "application/json" };
    await fetch(`${shop.gateway.url}/v1/agent/chat/completions`, { method: "POST", headers, body });
    expect(lines(shop)).toEqual([]);
    expect(JSON.stringify(shop.model.requests.at(-1)?.body.messages)).toContain("none has no credential `SHOP`");
  });
});

it("a run of operations is recorded, and replays without the service", async () => {
  const shop = await start(`
agents: [{ id: buyer, model: m, tools: [shop] }]
components: [{ id: shop, ${SHOP}, ${KEY}, approval: never, ${ORDERS} }]
`);
  const calls = [
    ["shop.getOrder", { order_id: 3 }],
    ["shop.createOrder", { items: [{ tea_id: 1, count: 2 }] }],
  ] as const;
  const results = await shop.call(...calls);
  await shop.stop();
  const folder = join(shop.folder, "recorded");
  const [file = ""] = readdirSync(folder);
  const { header, ...rest } = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
  const tool_results = results.map((content, at) => ({ name: calls[at]?.[0] ?? "", content }));
  const expected = { content: "Done.", tool_results, finish_reason: "stop" as const };
  const before = shop.shop.arrived.length;
  expect(await findReplayDifferences(shop.config, { header: { ...header, expected }, ...rest })).toEqual([]);
  expect(shop.shop.arrived).toHaveLength(before);
});
