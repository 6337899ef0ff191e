// What a request may say of its tools beyond a list of functions: the official client against models that call by the wire, leak, or are asked in text.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** What the model says to one request: a text, or calls through the wire's own field. */
type Said = string | readonly { readonly name: string; readonly arguments: string }[];

let said: readonly Said[] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    const answer = said[Math.min(upstream.requests.length, said.length) - 1] ?? "";
    const calls = typeof answer === "string" ? [] : answer.map(wireCall);
    const content = typeof answer === "string" ? answer : null;
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
    if (body.stream === true)
      return stream(events(delta(message), delta({}, finish)))(upstream.requests[0] as never, response);
    const choices = [{ index: 0, message, finish_reason: finish }];
    return whole(
      200,
      "application/json",
      JSON.stringify({ id: "c", object: "chat.completion", choices }),
    )(upstream.requests[0] as never, response);
  });
  const operatorModels: readonly ModelProfile[] = [
    { match: ["asked-in-text"], tools: "text", emulate: "hermes-json", why: "test" },
  ];
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
beforeEach(() => {
  upstream.requests.length = 0;
  said = [];
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function wireCall({ name, arguments: text }: { readonly name: string; readonly arguments: string }, index: number) {
  return { index, id: `call_${index}`, type: "function", function: { name, arguments: text } };
}

/** A call as each kind of model writes it. */
const KINDS = [
  ["a native model", "native", (name: string, args: JsonObject): Said => [{ name, arguments: JSON.stringify(args) }]],
  ["a model that leaks", "native", hermes],
  ["a model that is asked in text", "asked-in-text", hermes],
] as const;

function hermes(name: string, args: JsonObject): Said {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}

const messages = [{ role: "user" as const, content: "Go." }];

/** The same answer read whole, and as the SDK puts a stream together. */
async function inBothWays(params: Params): Promise<readonly OpenAI.ChatCompletion.Choice[]> {
  const client = gateway.client();
  const completion = await client.chat.completions.create(params);
  upstream.requests.length = 0;
  const streamed = await client.chat.completions.stream({ ...params, stream: true }).finalChatCompletion();
  return [completion, streamed].map(({ choices }) => choices[0] as OpenAI.ChatCompletion.Choice);
}

describe("tool_choice of the type allowed_tools", () => {
  const tools = ["look", "erase"].map((name): OpenAI.ChatCompletionTool => ({ type: "function", function: { name } }));
  const allow = (mode: "auto" | "required", ...names: readonly string[]): OpenAI.ChatCompletionToolChoiceOption => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
  });

  it.each(KINDS)("shows %s none of the others", async (_kind, model, call) => {
    said = [call("look", {})];
    const params: Params = { model, messages, tools, tool_choice: allow("auto", "look") };
    const { choices } = await gateway.client().chat.completions.create(params);
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "look" } }]);
    const sent = JSON.stringify(upstream.requests[0]?.body);
    expect([sent.includes("look"), sent.includes("erase")]).toEqual([true, false]);
  });

  it.each(KINDS)("refuses the call of another one, and asks %s again", async (_kind, model, call) => {
    said = [call("erase", {}), call("look", {})];
    const params: Params = { model, messages, tools, tool_choice: allow("auto", "look") };
    const { choices } = await gateway.client().chat.completions.create(params);
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "look" } }]);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each(KINDS)("demands a call of %s where its mode is required", async (_kind, model, call) => {
    said = ["I had rather talk.", call("look", {})];
    const params: Params = { model, messages, tools, tool_choice: allow("required", "look") };
    const { choices } = await gateway.client().chat.completions.create(params);
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(upstream.requests).toHaveLength(2);
  });

  it("names the gateway's own tools too, on the agent's route", async () => {
    said = ["Done."];
    const params: Params = { model: "native", messages, tools, tool_choice: allow("auto", "clock", "look") };
    await gateway.client("/v1/agent").chat.completions.create(params);
    const offered = upstream.requests[0]?.body.tools as readonly { readonly function: { readonly name: string } }[];
    expect(offered.map((tool) => tool.function.name)).toEqual(["clock", "look"]);
  });

  it.each<[string, OpenAI.ChatCompletionToolChoiceOption]>([
    ["allows a tool that is not offered", allow("auto", "look", "steal")],
    ["demands a call and allows none", allow("required")],
  ])("is refused where it %s", async (_title, tool_choice) => {
    const asked = gateway.client().chat.completions.create({ model: "native", messages, tools, tool_choice });
    await expect(asked).rejects.toMatchObject({ status: 400, code: "invalid_request", param: "tool_choice" });
  });
});

describe("a custom tool", () => {
  const query = "SELECT \"a\"\nFROM b WHERE c = '}'";
  const sql = (format?: OpenAI.ChatCompletionCustomTool.Custom["format"]): OpenAI.ChatCompletionTool => ({
    type: "custom",
    custom: { name: "sql", description: "Runs SQL.", ...(format && { format }) },
  });
  const grammar = (syntax: "lark" | "regex", definition: string) =>
    ({ type: "grammar", grammar: { syntax, definition } }) as const;

  it.each(KINDS)("is called by %s with its text, whole and streamed", async (_kind, model, call) => {
    said = [call("sql", { input: query })];
    for (const { message, finish_reason } of await inBothWays({ model, messages, tools: [sql()] })) {
      expect(message.tool_calls).toMatchObject([{ type: "custom", custom: { name: "sql", input: query } }]);
      expect(JSON.stringify(message.tool_calls)).not.toContain("function");
      expect(finish_reason).toBe("tool_calls");
    }
  });

  it.each(KINDS)("of a regular expression is asked of %s again until its text matches", async (_kind, model, call) => {
    said = [call("sql", { input: "DROP b" }), call("sql", { input: "SELECT 1" })];
    const params: Params = { model, messages, tools: [sql(grammar("regex", "SELECT|SELECT \\d+"))] };
    const { choices } = await gateway.client().chat.completions.create(params);
    expect(choices[0]?.message.tool_calls).toMatchObject([{ custom: { input: "SELECT 1" } }]);
    expect(upstream.requests).toHaveLength(2);
  });

  it("of a Lark grammar shows it to the model, and says of a call that it was not held to it", async () => {
    said = [[{ name: "sql", arguments: '{"input": "anything"}' }]];
    const params: Params = { model: "native", messages, tools: [sql(grammar("lark", 'start: "x"'))] };
    const answer = await gateway.client().chat.completions.create(params);
    expect(answer).toMatchObject({ postel: { repairs: ["schema-unchecked"] } });
    expect(JSON.stringify(upstream.requests[0]?.body.tools)).toContain('start: \\"x\\"');
  });

  it("is called where the model writes the text itself in the place of its arguments", async () => {
    said = [[{ name: "sql", arguments: '"SELECT 1"' }]];
    const { choices } = await gateway.client().chat.completions.create({ model: "native", messages, tools: [sql()] });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ custom: { input: "SELECT 1" } }]);
  });

  it.each(KINDS)("can be demanded by its name of %s", async (_kind, model, call) => {
    said = ["No.", call("sql", { input: "SELECT 1" })];
    const look: OpenAI.ChatCompletionTool = { type: "function", function: { name: "look" } };
    const tool_choice = { type: "custom", custom: { name: "sql" } } as const;
    const { choices } = await gateway
      .client()
      .chat.completions.create({ model, messages, tools: [look, sql()], tool_choice });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ type: "custom" }]);
  });

  it.each(KINDS)("stands in a history that goes up to %s", async (_kind, model, _call) => {
    said = ["One row."];
    const tool_calls = [{ id: "call_7", type: "custom", custom: { name: "sql", input: query } }] as const;
    const history: OpenAI.ChatCompletionMessageParam[] = [
      ...messages,
      { role: "assistant", tool_calls: [...tool_calls] },
      { role: "tool", tool_call_id: "call_7", content: "1 row" },
    ];
    const { choices } = await gateway.client().chat.completions.create({ model, messages: history, tools: [sql()] });
    expect(choices[0]?.message.content).toBe("One row.");
    const sent = upstream.requests[0]?.body.messages as readonly JsonObject[];
    const call = {
      id: "call_7",
      type: "function",
      function: { name: "sql", arguments: JSON.stringify({ input: query }) },
    };
    if (model === "native") expect(sent.at(-2)?.tool_calls).toEqual([call]);
    else expect(sent.at(-2)?.content).toContain(JSON.stringify(query));
    expect(sent.at(-1)?.content).toContain("1 row");
  });

  it("is read out of a text by /v1/parse as a call of its own kind", async () => {
    const response = await fetch(`${gateway.url}/v1/parse`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: hermes("sql", { input: query }), tools: [sql()] }),
    });
    expect(await response.json()).toMatchObject({
      tool_calls: [{ type: "custom", custom: { name: "sql", input: query } }],
    });
  });

  it("is refused by name where its grammar is no pattern that a schema may have", async () => {
    const bad = {
      type: "custom",
      custom: { name: "sql", format: { type: "grammar", grammar: { syntax: "ebnf", definition: "x" } } },
    };
    const asked = gateway.client().chat.completions.create({ model: "native", messages, tools: [bad as never] });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "tools[0].custom.format.grammar.syntax" });
  });
});

describe("the older functions and function_call", () => {
  const functions = [{ name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } }];
  const called = { name: "look", arguments: '{"at":"sea"}' };

  it.each(KINDS)("are tools for %s, and its call comes back in the field of that time", async (_kind, model, call) => {
    said = [call("look", { at: "sea" })];
    for (const { message, finish_reason } of await inBothWays({ model, messages, functions })) {
      expect(message.function_call).toMatchObject(called);
      expect(message.tool_calls).toBeUndefined();
      expect([message.content, finish_reason]).toEqual([null, "function_call"]);
    }
  });

  it("have room for one call: a second one is left out, and that is said", async () => {
    said = [[called, { name: "look", arguments: '{"at":"sky"}' }]];
    const answer = await gateway.client().chat.completions.create({ model: "native", messages, functions });
    expect(answer.choices[0]?.message.function_call).toEqual(called);
    expect(answer).toMatchObject({ postel: { issues: [{ code: "ambiguous-call" }] } });
  });

  it("can be demanded by name, or forbidden", async () => {
    said = ["No.", [called]];
    const params: Params = { model: "native", messages, functions };
    const client = gateway.client();
    const demanded = await client.chat.completions.create({ ...params, function_call: { name: "look" } });
    expect(demanded.choices[0]?.finish_reason).toBe("function_call");
    said = ["Fine."];
    upstream.requests.length = 0;
    const forbidden = await client.chat.completions.create({ ...params, function_call: "none" });
    expect(forbidden.choices[0]?.message.content).toBe("Fine.");
  });

  it.each(KINDS)("stand in a history that goes up to %s, each result behind its call", async (_kind, model, _call) => {
    said = ["Wet."];
    const history: OpenAI.ChatCompletionMessageParam[] = [
      ...messages,
      { role: "assistant", content: null, function_call: called },
      { role: "function", name: "look", content: "waves" },
      { role: "assistant", content: null, function_call: { ...called, arguments: '{"at":"sky"}' } },
      { role: "function", name: "look", content: "clouds" },
    ];
    const answer = await gateway.client().chat.completions.create({ model, messages: history, functions });
    expect(answer).toMatchObject({ choices: [{ message: { content: "Wet." } }], postel: { repairs: [] } });
    const sent = upstream.requests[0]?.body.messages as readonly JsonObject[];
    const words = sent.map((message) => JSON.stringify(message));
    expect(["sea", "waves", "sky", "clouds"].map((word) => words.findIndex((text) => text.includes(word)) > 0)).toEqual(
      [true, true, true, true],
    );
    if (model !== "native") return;
    const ids = sent.flatMap(
      ({ tool_calls, tool_call_id }) => (tool_calls as readonly JsonObject[])?.[0]?.id ?? tool_call_id ?? [],
    );
    expect(ids).toEqual(["fn0000001", "fn0000001", "fn0000002", "fn0000002"]);
  });

  it.each<[string, object, string]>([
    ["beside tools", { functions, tools: [{ type: "function", function: { name: "x" } }] }, "tools"],
    ["of a name that is not offered", { functions, function_call: { name: "steal" } }, "function_call"],
    ["demanded without functions", { function_call: { name: "look" } }, "function_call"],
    ["whose name is none", { functions: [{ name: "look up" }] }, "functions[0].name"],
  ])("are refused %s", async (_title, fields, param) => {
    const asked = gateway.client().chat.completions.create({ model: "native", messages, ...fields });
    await expect(asked).rejects.toMatchObject({ status: 400, code: "invalid_request", param });
  });
});
