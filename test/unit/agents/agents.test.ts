import { describe, expect, it } from "@jest/globals";
import type { ToolSpec } from "../../../src/core/messages.ts";
import type { ChatRequest } from "../../../src/core/requests.ts";
import { chat, type GatewayOptions, gateway, never } from "../../support/agents/gateway.ts";
import { collect } from "../../support/events.ts";
import {
  calls,
  endsWith,
  fragments,
  refusesTools,
  ScriptedModel,
  type Step,
  says,
} from "../../support/ScriptedModel.ts";

const WEATHER: ToolSpec = {
  name: "get_weather",
  description: "Tells the weather.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const TIME: ToolSpec = { name: "get_time", parameters: { type: "object", properties: {} } };
const LEAK = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';

async function complete(steps: readonly Step[], more: Partial<ChatRequest> = {}, options: GatewayOptions = {}) {
  const model = new ScriptedModel(...steps);
  const { runner } = gateway(model, options);
  const collected = await collect(runner.complete(chat({ tools: [WEATHER, TIME], ...more }), never));
  model.verify();
  const meaning = collected.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]);
  return { ...collected, meaning, requests: model.requests };
}

describe("a native agent", () => {
  it("gives a structured call as it came", async () => {
    const args = '{"city":"Paris","days":12}';
    const { calls: made, end, toolMode } = await complete([calls({ name: "get_weather", arguments: args })]);
    expect(made).toEqual([
      expect.objectContaining({ id: "call_0", name: "get_weather", arguments: args, origin: "native", repairs: [] }),
    ]);
    expect(end?.finishReason).toBe("tool_calls");
    expect(toolMode).toBe("native");
  });

  it("reads a call that leaked into its text, and lets the prose before it through", async () => {
    const { text, calls: made, end } = await complete([says("Let me look. ", LEAK.slice(0, 9), LEAK.slice(9))]);
    expect(text.trim()).toBe("Let me look.");
    expect(made).toEqual([expect.objectContaining({ name: "get_weather", id: "drawn0001" })]);
    expect(end?.finishReason).toBe("tool_calls");
  });

  it("takes a call once that came both ways", async () => {
    const both = endsWith(
      "tool_calls",
      { type: "text", text: LEAK },
      ...fragments({ name: "get_weather", arguments: '{ "city": "Paris" }' }),
    );
    const { meaning, issues } = await complete([both]);
    expect(meaning).toEqual([["get_weather", { city: "Paris" }]]);
    expect(issues.map(({ code }) => code)).toEqual(["repeated-call"]);
  });

  it("takes one leaked call for one structured call only", async () => {
    const same = { name: "get_weather", arguments: '{"city":"Paris"}' };
    const both = endsWith("tool_calls", { type: "text", text: LEAK }, ...fragments(same, same));
    const { meaning, issues } = await complete([both]);
    expect(meaning).toHaveLength(2);
    expect(issues.map(({ code }) => code)).toEqual(["repeated-call"]);
  });

  it("takes as many structured calls for leaked ones as have leaked", async () => {
    const same = { name: "get_weather", arguments: '{"city":"Paris"}' };
    const both = endsWith("tool_calls", { type: "text", text: LEAK + LEAK }, ...fragments(same, same, same));
    const { meaning, issues } = await complete([both]);
    expect(meaning).toHaveLength(3);
    expect(issues.map(({ code }) => code)).toEqual(["repeated-call", "repeated-call"]);
  });

  it("hands on a whole call of more values than it can check, as it came, and says so", async () => {
    const args = `{"city": "Paris", "days": [${"1, ".repeat(60_000)}1.0]}`;
    const { calls: made, issues, requests } = await complete([calls({ name: "get_weather", arguments: args })]);
    expect(made).toMatchObject([{ name: "get_weather", arguments: args, repairs: ["schema-unchecked"] }]);
    expect(issues).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("keeps two structured calls that are equal: the model may want both", async () => {
    const twice = { name: "get_time", arguments: "{}" };
    const { meaning, issues } = await complete([calls(twice, twice)]);
    expect(meaning).toHaveLength(2);
    expect(issues).toEqual([]);
  });

  it.each([
    ["said twice", "same", "same"],
    ["illegal", "not a legal id", "not a legal id"],
  ])("draws an id where the wire's is %s", async (_title, first, second) => {
    const { calls: made } = await complete([
      calls(
        { name: "get_time", arguments: "{}", id: first },
        { name: "get_weather", arguments: '{"city":"Rome"}', id: second },
      ),
    ]);
    const ids = made.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[\w.:-]{1,64}$/);
  });

  it("gives no call whose arguments the token limit cut", async () => {
    const cut = endsWith(
      "length",
      ...fragments({ name: "get_time", arguments: "{}" }, { name: "get_weather", arguments: '{"city": "Par' }),
    );
    const { meaning, issues, end } = await complete([cut]);
    expect(meaning).toEqual([["get_time", {}]]);
    expect(issues.map(({ code }) => code)).toEqual(["truncated-call"]);
    expect(end).toMatchObject({ finishReason: "tool_calls", upstreamFinishReason: "length" });
  });

  it("corrects a call by its result, under its id", async () => {
    const { meaning, requests, end } = await complete([
      calls({ name: "get_weather", arguments: '{"days": 3}' }),
      calls({ name: "get_weather", arguments: '{"city":"Paris"}' }),
    ]);
    expect(meaning).toEqual([["get_weather", { city: "Paris" }]]);
    expect(end?.attempts).toBe(2);
    expect(requests[1]?.messages.slice(1)).toEqual([
      expect.objectContaining({ role: "assistant", toolCalls: [expect.objectContaining({ id: "call_0" })] }),
      expect.objectContaining({ role: "tool", toolCallId: "call_0", content: expect.stringContaining("city") }),
    ]);
  });

  it("does not use an id again that the turn's refused call had", async () => {
    const { calls: made } = await complete([
      calls({ name: "get_weather", arguments: '{"days": 3}' }),
      calls({ name: "get_weather", arguments: '{"city":"Paris"}' }),
    ]);
    expect(made[0]?.id).toBe("drawn0001");
  });

  it("leaves marks in the text where tool_choice is none, and asks nothing again", async () => {
    const { text, calls: made, requests } = await complete([says(LEAK)], { toolChoice: { type: "none" } });
    expect(text).toContain("<tool_call>");
    expect(made).toEqual([]);
    expect(requests[0]?.toolChoice).toEqual({ type: "none" });
  });

  it("takes no call from an upstream that heeds no tool_choice none", async () => {
    const said = endsWith("stop", { type: "text", text: "Noon." }, ...fragments({ name: "get_time", arguments: "{}" }));
    const { calls: made, issues, end, text } = await complete([said], { toolChoice: { type: "none" } });
    expect(made).toEqual([]);
    expect(issues.map(({ code }) => code)).toEqual(["stray-mark"]);
    expect({ text, reason: end?.finishReason }).toEqual({ text: "Noon.", reason: "stop" });
  });

  it("fails where all that came is a call that tool_choice none forbade", async () => {
    const { failure } = await complete([calls({ name: "get_time", arguments: "{}" })], {
      toolChoice: { type: "none" },
    });
    expect(failure).toMatchObject({ code: "model_call_invalid", details: { refused: [{ name: "get_time" }] } });
  });

  it("is corrected in words of the wire's own field, not in those of a text format", async () => {
    const { requests } = await complete([says("No."), calls({ name: "get_time", arguments: "{}" })], {
      toolChoice: { type: "required" },
    });
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("get_time") });
    expect(JSON.stringify(requests[1]?.messages)).not.toContain("<tool_call>");
  });

  it("keeps text that waited in the parser when the stream breaks", async () => {
    const broken: Step = [
      { type: "opened", retries: 2 },
      { type: "text", text: "It holds if 1 <" },
      { type: "failed", failure: { fault: "upstream", code: "upstream_truncated", message: "broke" } },
    ];
    const { text, failure } = await complete([broken]);
    expect(text).toBe("It holds if 1 <");
    expect(failure?.code).toBe("upstream_truncated");
  });

  it("passes unknown fields on with the text, log-probabilities only where the text is content", async () => {
    const { extra } = await complete([
      endsWith(
        "stop",
        { type: "text", text: "Hi", extra: [{ level: "choice", fields: { logprobs: { content: [1] } } }] },
        { type: "text", text: LEAK, extra: [{ level: "choice", fields: { logprobs: { content: [2] }, seen: true } }] },
        { type: "text", text: "", extra: [{ level: "chunk", fields: { system_fingerprint: "fp" } }] },
      ),
    ]);
    expect(extra.map(({ fields }) => fields)).toEqual([
      { logprobs: { content: [1] }, seen: true },
      { system_fingerprint: "fp" },
    ]);
  });

  it("believes the upstream that splits reasoning off, whatever the row says of opened blocks", async () => {
    const rows = [{ match: ["m"], reasoning: { opened: "always", marks: "think" }, why: "test" } as const];
    const split = endsWith("stop", { type: "reasoning", text: "Hm." }, { type: "text", text: "Hello." });
    expect(await complete([split], {}, { rows })).toMatchObject({ reasoning: "Hm.", text: "Hello." });
    expect(await complete([says("Hm.</think>Hello.")], {}, { rows })).toMatchObject({
      reasoning: "Hm.",
      text: "Hello.",
    });
  });

  it.each(["native", "text"] as const)(
    "in %s mode reads the marks of reasoning that the row names, and no others",
    async (tools) => {
      const row = { match: ["m"], tools, why: "test" } as const;
      const text = "[THINK]Hm.[/THINK]Hello.";
      expect(await complete([says(text)], {}, { rows: [row] })).toMatchObject({ reasoning: "", text });
      const rows = [{ ...row, reasoning: { marks: "bracket-think" } }];
      expect(await complete([says(text)], {}, { rows })).toMatchObject({ reasoning: "Hm.", text: "Hello." });
    },
  );

  const output = { type: "json_schema", name: "o", schema: { type: "object", required: ["a"] }, strict: true } as const;

  it("asks for a schema by the wire, beside tools too, and for the answer alone where it lacks its form", async () => {
    const { text, requests } = await complete([says("Sure: yes"), says('{"a": 1}')], { output });
    expect(text).toBe('{"a": 1}');
    expect(requests.map((request) => [request.output.type, request.toolChoice.type])).toEqual([
      ["json_schema", "auto"],
      ["json_schema", "none"],
    ]);
    expect(requests[0]?.messages).toHaveLength(1);
    expect(requests[0]?.inWords?.[0]?.content).toContain('"required":["a"]');
  });
});

describe("a text agent", () => {
  const inText = { model: "text-model" };

  it("describes the tools in the prompt, sends none, and steadies the sampling where the caller said nothing", async () => {
    const { requests, toolMode } = await complete([says("Hello.")], {
      ...inText,
      sampling: { temperature: 1, stop: ["END"] },
    });
    const [request] = requests;
    expect(request?.tools).toEqual([]);
    expect(JSON.stringify(request?.messages)).toContain("get_weather");
    expect(request?.sampling).toMatchObject({ temperature: 1, topP: 0.9 });
    expect(toolMode).toBe("text");
  });

  it("stops a ReAct model before it writes its own observation; the caller's stop texts go up only where no call could be cut by them, and four at most", async () => {
    const rows = [{ match: ["m"], tools: "text", emulate: "react-text", why: "test" } as const];
    const one = await complete([says("Final Answer: Hello.")], {}, { rows });
    expect(one.requests[0]?.sampling.stop?.join(" ")).toContain("Observation");
    const sampling = { stop: ["A", "B", "C", "D", "E"] };
    const offered = await complete([says("Final Answer: Hello.")], { sampling }, { rows });
    expect(offered.requests[0]?.sampling.stop).toEqual(one.requests[0]?.sampling.stop);
    for (const alone of [{ tools: [] }, { toolChoice: { type: "none" } as const }]) {
      const { requests } = await complete([says("Hello.")], { ...alone, sampling }, { rows });
      expect(requests[0]?.sampling.stop).toEqual(["A", "B", "C", "D"]);
    }
  });

  it("reads its call and gives it an id", async () => {
    const { meaning, calls: made } = await complete([says(LEAK)], inText);
    expect(meaning).toEqual([["get_weather", { city: "Paris" }]]);
    expect(made[0]?.id).toBe("drawn0001");
  });

  it("is corrected as the user, in its own format", async () => {
    const { meaning, requests } = await complete(
      [says('<tool_call>\n{"name": "get_wether_x", "arguments": {}}\n</tool_call>'), says(LEAK)],
      inText,
    );
    expect(meaning).toEqual([["get_weather", { city: "Paris" }]]);
    const [said, correction] = requests[1]?.messages.slice(-2) ?? [];
    expect(said).toMatchObject({ role: "assistant", content: expect.stringContaining("get_wether_x") });
    expect(correction).toMatchObject({ role: "user", content: expect.stringContaining("<tool_call>") });
  });

  it("does not let the upstream enforce JSON where a call is still wanted", async () => {
    const { requests, text } = await complete([says('{"a":1}')], { ...inText, output: { type: "json_object" } });
    expect(requests[0]?.output.type).toBe("text");
    expect(text).toBe('{"a":1}');
  });

  it("takes an object with a `response` for the answer itself where JSON was asked for, and for its wrapping elsewhere", async () => {
    const wrapped = [says('{"response": "Paris"}')];
    expect((await complete(wrapped, { ...inText, output: { type: "json_object" } })).text).toBe(
      '{"response": "Paris"}',
    );
    expect((await complete(wrapped, inText)).text).toBe("Paris");
  });

  it("calls an answer of the wrong form an invalid output, and asks for the answer alone", async () => {
    const { issues, requests } = await complete([says("Paris."), says('{"a":1}')], {
      ...inText,
      output: { type: "json_object" },
    });
    expect(issues.map(({ code }) => code)).toEqual(["invalid-output"]);
    expect(requests[1]?.messages.at(-1)?.content).toContain("one JSON object and nothing else");
  });
});

describe("the choice of the agent", () => {
  it("goes on in text where the upstream refuses tools", async () => {
    const { meaning, end, toolMode, requests } = await complete([refusesTools(), says(LEAK)]);
    expect(meaning).toEqual([["get_weather", { city: "Paris" }]]);
    expect(end).toMatchObject({ attempts: 1, retries: 1 });
    expect(toolMode).toBe("text");
    expect(requests.map(({ tools }) => tools.length)).toEqual([2, 0]);
  });

  it("passes the refusal on where the request pins the mode", async () => {
    const { failure } = await complete([refusesTools()], { pinnedToolMode: "native" });
    expect(failure?.code).toBe("upstream_refused");
  });

  it("passes the refusal on where the operator pins the mode", async () => {
    const operatorRows = [{ match: ["m"], tools: "native", why: "test" } as const];
    expect((await complete([refusesTools()], {}, { operatorRows })).failure?.code).toBe("upstream_refused");
  });

  it("names the list of models where no upstream serves the model", async () => {
    const { failure } = await complete([], { model: "unknown" });
    expect(failure).toMatchObject({ code: "model_not_found", message: expect.stringContaining("/v1/models") });
  });
});
