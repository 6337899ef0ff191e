import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendError, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A server that holds its model to a JSON schema where one is asked for; left to itself the model chats, or writes calls that nobody can read.
interface Form {
  readonly anyOf: readonly {
    readonly properties: { readonly name: { readonly const: string }; readonly arguments: Record<string, unknown> };
  }[];
}
interface Body {
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema: Form } };
}

let upstream: FakeUpstream;
let gateway: RunningGateway;
let free: string[] = [];
let held: string[] = [];
let refusal: string | undefined;
const row = (match: string, more: Partial<ModelProfile> = {}): ModelProfile => ({
  match: [match],
  tools: "text",
  emulate: "hermes-json",
  jsonSchema: "native",
  why: "test",
  ...more,
});
beforeAll(async () => {
  upstream = await FakeUpstream.start((request, response) => {
    const { response_format } = request.body as Body;
    if (response_format && refusal !== undefined) sendError(response, 400, refusal);
    else sendText(response, (response_format ? held.shift() : free.shift()) ?? "I had rather talk.");
  });
  gateway = await startGateway({
    config: {
      ...configFor(upstream.baseUrl),
      operatorModels: [
        row("m"),
        row("react", { emulate: "react-text" }),
        row("tags", { emulate: "anthropic-xml" }),
        row("plain", { jsonSchema: "json_object" }),
        row("thinker", { reasoning: { marks: "think", opened: "always" } }),
        row("native", { tools: "native" }),
      ],
    },
  });
});
beforeEach(() => {
  free = [];
  held = [];
  refusal = undefined;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const RIGHT = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string", pattern: "^[A-Z]", minLength: 2 }, day: { $ref: "#/$defs/day" } },
        required: ["city"],
        $defs: { day: { type: "string" } },
      },
    },
  },
  { type: "function" as const, function: { name: "get_time", parameters: { type: "object", properties: {} } } },
];

async function ask(stream: boolean, more: Record<string, unknown> = {}) {
  const before = upstream.requests.length;
  const { completions } = gateway.client().chat;
  const messages = [{ role: "user" as const, content: "How warm is it in Oslo?" }];
  const body = { model: "m", messages, tools, ...more };
  const answer = stream ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
  const [choice] = answer.choices;
  return {
    content: choice?.message.content ?? null,
    calls: (choice?.message.tool_calls ?? []).map((call) =>
      call.type === "function" ? [call.function.name, JSON.parse(call.function.arguments)] : call.type,
    ),
    bodies: upstream.requests.slice(before).map(({ body: sent }: UpstreamRequest) => sent as unknown as Body),
  };
}

function toolsOf(body: Body | undefined): readonly string[] {
  return (body?.response_format?.json_schema?.schema.anyOf ?? []).map(({ properties }) => properties.name.const);
}

const OSLO = [["get_weather", { city: "Oslo" }]];
const named = { tool_choice: { type: "function", function: { name: "get_time" } } };

describe.each([true, false])("a call that is demanded of a model that is asked in text (stream: %s)", (stream) => {
  it.each(["m", "react", "tags"])(
    "is held to its form, and read as one whatever the prompt named (%s)",
    async (model) => {
      held = [RIGHT];
      const { calls, content, bodies } = await ask(stream, { model, tool_choice: "required" });
      expect({ calls, content }).toEqual({ calls: OSLO, content: null });
      expect(bodies).toHaveLength(1);
      expect(bodies[0]?.response_format?.type).toBe("json_schema");
      expect(toolsOf(bodies[0])).toEqual(["get_weather", "get_time"]);
    },
  );

  it("is of the one tool that is named", async () => {
    held = ['{"name": "get_time", "arguments": {}}'];
    const { calls, bodies } = await ask(stream, named);
    expect(calls).toEqual([["get_time", {}]]);
    expect(toolsOf(bodies[0])).toEqual(["get_time"]);
  });

  it("asks for nothing that a compiler of grammars may refuse, and checks it nevertheless", async () => {
    held = ['{"name": "get_weather", "arguments": {"city": "Oslo", "day": [1]}}', RIGHT];
    const { calls, bodies } = await ask(stream, { tool_choice: "required" });
    expect(calls).toEqual(OSLO);
    expect(JSON.stringify(bodies[0]?.response_format)).not.toMatch(/pattern|minLength|\$ref|\$defs/);
    expect(bodies).toHaveLength(2);
  });

  it("never goes up without a limit, and the caller's own goes before", async () => {
    held = [RIGHT, RIGHT, RIGHT];
    const { bodies } = await ask(stream, { tool_choice: "required" });
    expect(bodies[0]?.max_tokens).toBe(4096);
    const limited = await ask(stream, { tool_choice: "required", max_tokens: 50 });
    expect(limited.bodies[0]?.max_tokens).toBe(50);
    const newer = await ask(stream, { tool_choice: "required", max_completion_tokens: 60 });
    expect(newer.bodies[0]).toMatchObject({ max_completion_tokens: 60 });
    expect(newer.bodies[0]?.max_tokens).toBeUndefined();
  });

  it("is asked for in the prompt alone where the upstream refuses the form", async () => {
    refusal = "Invalid schema for response_format 'tool_call': schema must have type 'object'.";
    free = [`<tool_call>\n${RIGHT}\n</tool_call>`];
    const { calls, bodies } = await ask(stream, { tool_choice: "required" });
    expect(calls).toEqual(OSLO);
    expect(bodies.map(({ response_format }) => response_format?.type)).toEqual(["json_schema", undefined]);
  });

  it.each([
    ["where the row says that nothing enforces it", "plain"],
    ["where the model is to think first", "thinker"],
  ])("is asked for in words %s", async (_title, model) => {
    free = [`${model === "thinker" ? "Hm.</think>\n" : ""}<tool_call>\n${RIGHT}\n</tool_call>`];
    const { calls, bodies } = await ask(stream, { model, tool_choice: "required" });
    expect(calls).toEqual(OSLO);
    expect(bodies[0]?.response_format).toBeUndefined();
  });

  it("leaves a model that has tools of its own alone", async () => {
    free = [`<tool_call>\n${RIGHT}\n</tool_call>`];
    const { calls, bodies } = await ask(stream, { model: "native", tool_choice: "required" });
    expect(calls).toEqual(OSLO);
    expect(bodies[0]?.response_format).toBeUndefined();
  });
});

describe.each([true, false])("a model that may call (stream: %s)", (stream) => {
  it("is held to nothing at first", async () => {
    free = ["It is warm."];
    const { content, bodies } = await ask(stream);
    expect(content).toBe("It is warm.");
    expect(bodies[0]?.response_format).toBeUndefined();
    expect(bodies[0]?.max_tokens).toBeUndefined();
  });

  it("is held to a call once it began one that cannot be read", async () => {
    free = ['<tool_call>\n{"name": "get_weather", "arguments": {"city": }}\n</tool_call>'];
    held = [RIGHT];
    const { calls, bodies } = await ask(stream);
    expect(calls).toEqual(OSLO);
    expect(bodies.map(({ response_format }) => response_format?.type)).toEqual([undefined, "json_schema"]);
  });

  it("stays free to answer where it called what nobody offers", async () => {
    free = ['<tool_call>\n{"name": "open_window", "arguments": {}}\n</tool_call>', "I cannot do that."];
    const { content, calls, bodies } = await ask(stream, { stream });
    expect({ content, calls }).toEqual({ content: "I cannot do that.", calls: [] });
    expect(bodies[1]?.response_format).toBeUndefined();
  });
});

describe("an upstream that knows no schema", () => {
  it("is asked once more without one, and its answer is read as the prompt named it", async () => {
    refusal = "Unknown parameter: 'response_format' is not supported";
    free = [`<tool_call>\n${RIGHT}\n</tool_call>`];
    const { calls, bodies } = await ask(false, { model: "m", tool_choice: "required" });
    expect(calls).toEqual(OSLO);
    expect(bodies.map(({ response_format }) => response_format?.type)).toEqual(["json_schema", undefined]);
  });
});
