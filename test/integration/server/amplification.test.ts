// How much longer an answer may be than its request, where every piece of the text has something wrong with it.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { LIMITS, SERVER } from "../../support/defaults.ts";
import { post, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

const CALLS = 8_000;
const tools = (name: (index: number) => string, parameters: object = {}) =>
  Array.from({ length: 128 }, (_, index) => ({ type: "function", function: { name: name(index), parameters } }));
const longName = (index: number) => `tool_${index}_`.padEnd(128, "x");
const longNames = Array.from({ length: 200 }, (_, index) => `parameter ${index} `.padEnd(128, "y"));
const enumeration = { type: "object", properties: { a: { enum: longNames } }, required: ["a"] };
const closed = {
  type: "object",
  properties: Object.fromEntries(longNames.map((one) => [one, {}])),
  additionalProperties: false,
};

describe("an answer of /v1/parse", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(script(turnStart, turnEnd), { limits: LIMITS, server: SERVER });
  });
  afterAll(() => app.close());

  it.each([
    ["calls of no tool", tools(longName), '{"name":"nope","arguments":{}}'],
    [
      "values of no enumeration",
      tools((index) => `t${index}`, enumeration).slice(0, 8),
      '{"name":"t0","arguments":{"a":1}}',
    ],
    ["names of no parameter", tools((index) => `t${index}`, closed).slice(0, 8), '{"name":"t0","arguments":{"z":1}}'],
  ])("is not longer than three requests, with 8,000 %s", async (_what, offered, call) => {
    const body = JSON.stringify({ text: `<tool_call>${call}</tool_call>\n`.repeat(CALLS), tools: offered });
    const answer = await (await post(`${app.url}/v1/parse`, body)).text();
    expect(answer.length / body.length).toBeLessThan(3);
    const { issues, issues_omitted } = JSON.parse(answer) as { issues: unknown[]; issues_omitted: number };
    expect([issues.length, issues_omitted]).toEqual([100, CALLS - 100]);
  });
});
