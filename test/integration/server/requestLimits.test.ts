// What a client may send at most, at the default limits and over HTTP: each is refused by name before a model hears of it.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { LIMITS, SERVER } from "../../support/defaults.ts";
import { ASK, errorOf, post, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

const tool = (parameters: unknown, fields: object = {}) => ({
  type: "function",
  function: { name: "f", parameters, ...fields },
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);
const keyed = (count: number, value: unknown) => Object.fromEntries(names(count).map((name) => [name, value]));
const listOf = (count: number, value: unknown) => Array.from({ length: count }, () => value);
/** A schema of as many values as are asked for, give or take ten. */
const schemaOf = (steps: number) => ({ type: "object", properties: { a: { enum: listOf(steps, 1) } } });
const described = (chars: number) => tool({}, { description: "x".repeat(chars) });
const format = (schema: object) => ({ type: "json_schema", json_schema: { name: "x", schema } });

describe("a request beyond a limit", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(script(turnStart, turnEnd), { limits: LIMITS, server: SERVER });
  });
  afterAll(() => app.close());
  const ask = (body: unknown) => post(`${app.url}/v1/chat/completions`, body);

  it.each<[string, object, string | null, RegExp]>([
    ["50,001 keys", { user: keyed(50_001, 1) }, null, /50000 keys \(`limits\.json_keys`\)/],
    ["a list of 250,001 numbers", { user: listOf(250_001, 1) }, null, /`limits\.json_values`/],
    ["300,000 empty lists", { user: listOf(300_000, []) }, null, /`limits\.json_values`/],
    ["65 levels", { user: JSON.parse(`${"[".repeat(65)}${"]".repeat(65)}`) }, null, /`limits\.json_depth`/],
    ["300 fields", keyed(300, 1), null, /256 fields/],
    ["a user of 1,025 characters", { user: "u".repeat(1_025) }, "user", /at most 1024 characters/],
    ["a user that is no text", { user: { id: "u" } }, "user", /at most 1024 characters/],
    ["129 tools", { tools: listOf(129, tool({})) }, "tools", /`limits\.max_tools`/],
    ["4,097 messages", { messages: listOf(4097, ASK.messages[0]) }, "messages", /`limits\.max_messages`/],
    [
      "a long description",
      { tools: [described(65_537)] },
      "tools[0].function.description",
      /`limits\.description_chars`/,
    ],
    [
      "schemas that are large together",
      { tools: names(4).map((name) => tool(schemaOf(30_000), { name })) },
      "tools[3].function.parameters",
      /`limits\.schema_steps`/,
    ],
    [
      "tools and an answer's schema that are large together",
      {
        tools: names(3).map((name) => tool(schemaOf(30_000), { name })),
        response_format: format(schemaOf(30_000)),
      },
      "response_format.json_schema.schema",
      /`limits\.schema_steps`/,
    ],
  ])("is refused: %s", async (_what, fields, param, message) => {
    const before = app.requests.length;
    const response = await ask({ ...ASK, ...fields });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "invalid_request",
      param,
      message: expect.stringMatching(message),
    });
    expect(app.requests.length).toBe(before);
  });

  it("is refused on /v1/parse too, whose tools are another's", async () => {
    const parse = (body: unknown) => post(`${app.url}/v1/parse`, body);
    for (const [body, param] of [
      [{ text: "x", tools: listOf(129, tool({})) }, "tools"],
      [{ text: "x", tools: [described(65_537)] }, "tools[0].function.description"],
      [{ text: "x", tools: names(4).map((name) => tool(schemaOf(30_000), { name })) }, "tools[3].function.parameters"],
    ] as const) {
      expect(await errorOf(await parse(body))).toMatchObject({ code: "invalid_request", param });
    }
  });

  it("is taken up to the limit itself", async () => {
    const fields = { metadata: { a: keyed(49_000, 1) }, tools: [described(65_536)] };
    expect((await ask({ ...ASK, ...fields })).status).toBe(200);
    expect((await ask({ ...ASK, metadata: listOf(240_000, 1) })).status).toBe(200);
    expect((await ask({ ...ASK, tools: [tool(schemaOf(30_000))] })).status).toBe(200);
  });

  it("that holds 24,000 bad entries is refused for the first of them", async () => {
    const bad = (entry: unknown) => listOf(24_000, entry);
    for (const [fields, param] of [
      [{ messages: [{ role: "user", content: bad({}) }] }, "messages[0].content"],
      [{ messages: [{ role: "assistant", tool_calls: bad({ id: 1 }) }] }, "messages[0].tool_calls[0].id"],
      [{ messages: [{ role: "assistant", tool_calls: listOf(200_000, 1) }] }, "messages[0].tool_calls[0]"],
      [{ logit_bias: keyed(24_000, "y") }, "logit_bias"],
    ] as const) {
      expect(await errorOf(await ask({ ...ASK, ...fields }))).toMatchObject({ code: "invalid_request", param });
    }
  });
});
