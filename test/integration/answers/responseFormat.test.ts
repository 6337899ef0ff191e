import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let said: readonly string[] = [];
const seen: UpstreamRequest["body"][] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    sendText(response, said[Math.min(seen.length, said.length - 1)] ?? "");
    seen.push(body);
  });
  const operatorModels = (["native", "json_object", "none"] as const).map(
    (jsonSchema): ModelProfile => ({ match: [`knows-${jsonSchema}`], jsonSchema, why: "test" }),
  );
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const response_format = { type: "json_schema" as const, json_schema: { name: "out", schema, strict: true } };
const tools = [
  { type: "function" as const, function: { name: "get_time", parameters: { type: "object", properties: {} } } },
];
const messages = [{ role: "user" as const, content: "Where?" }];

describe.each([
  ["with tools", tools],
  ["without tools", undefined],
])("what an upstream is asked of an answer's form, %s", (_title, offered) => {
  const cases: readonly [string, object | undefined, boolean][] = [
    ["knows-native", { type: "json_schema", json_schema: { name: "out", schema, strict: true } }, false],
    ["knows-json_object", { type: "json_object" }, true],
    ["knows-none", undefined, true],
  ];
  it.each(cases)("is what its row says: %s", async (model, format, inWords) => {
    said = ['{"city": "Oslo"}'];
    const answer = await gateway
      .client()
      .chat.completions.create({ model, messages, response_format, ...(offered && { tools: offered }) });
    expect(answer.choices[0]?.message.content).toBe('{"city": "Oslo"}');
    const [body] = seen;
    expect(body).toMatchObject({ ...(format && { response_format: format }), ...(offered && { tools: [{}] }) });
    expect("response_format" in (body ?? {})).toBe(format !== undefined);
    expect(JSON.stringify(body?.messages).includes("JSON Schema")).toBe(inWords);
  });

  it("goes up to a model that no row knows only where no tool is offered, for most servers would then allow no call", async () => {
    said = ['{"city": "Oslo"}'];
    const request = { model: "nobody-knows", messages, response_format, ...(offered && { tools: offered }) };
    await gateway.client().chat.completions.create(request);
    expect("response_format" in (seen[0] ?? {})).toBe(offered === undefined);
    expect(JSON.stringify(seen[0]?.messages).includes("JSON Schema")).toBe(offered !== undefined);
  });

  it("is asked for again in a sentence, without tools, where the answer lacks it", async () => {
    said = ["In Oslo.", '{"city": "Oslo"}'];
    const stream = gateway.client().chat.completions.stream({
      model: "knows-native",
      messages,
      response_format,
      ...(offered && { tools: offered }),
    });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('{"city": "Oslo"}');
    expect(seen).toHaveLength(2);
    const question = String(seen[1]?.messages.at(-1)?.content);
    expect(question).toMatch(
      /^Your answer does not have the form that was asked for: .*\.\n\nWrite your final answer as one JSON value/,
    );
    expect(seen[1]).toMatchObject({ response_format: { type: "json_schema" } });
  });
});
