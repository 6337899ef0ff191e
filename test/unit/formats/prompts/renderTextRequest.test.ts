// What a model that is given no `tools` gets to read, whatever the family.
import { describe, expect, it } from "@jest/globals";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import type { Message, ToolCall, ToolSpec } from "../../../../src/core/messages.ts";
import { joinText } from "../../../../src/core/messages.ts";
import { renderTextRequest, type TextRequest } from "../../../../src/formats/prompts/renderTextRequest.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";

const tide: ToolSpec = {
  name: "lookup_tide",
  parameters: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
};
const dice: ToolSpec = { name: "roll_dice" };
const families = [...RENDERINGS.keys()];

function call(id: string, name: string, args: string): ToolCall {
  return { id, name, arguments: args, origin: "native", repairs: [], raw: "" };
}

function render(messages: readonly Message[], changes: Partial<TextRequest> = {}) {
  return runToCompletion(
    renderTextRequest({
      messages,
      tools: [tide, dice],
      toolChoice: { type: "auto" },
      parallelToolCalls: undefined,
      emulate: "hermes-json",
      systemRole: "system",
      ...changes,
    }),
  );
}

function lines(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${joinText(content)}`);
}

const twoCalls: readonly Message[] = [
  { role: "user", content: "Roll and look." },
  {
    role: "assistant",
    content: null,
    toolCalls: [call("a", "lookup_tide", '{"port":"Brest"}'), call("b", "roll_dice", "{}")],
  },
  { role: "tool", toolCallId: "b", content: "six" },
  { role: "tool", toolCallId: "a", content: "low at 06:12" },
];

describe("a list of tools that comes again", () => {
  const choices = [{ type: "auto" }, { type: "required" }, { type: "tool", name: "roll_dice" }] as const;
  const asked = families.flatMap((emulate) =>
    choices.flatMap((toolChoice) =>
      [undefined, false].map((parallelToolCalls) => ({ emulate, toolChoice, parallelToolCalls })),
    ),
  );

  it("is shown as at the first time, in every family and with every demand", () => {
    const tools = [tide, dice];
    const user: readonly Message[] = [{ role: "user", content: "Roll." }];
    for (const request of [...asked, ...asked.toReversed()]) {
      expect(render(user, { ...request, tools })).toEqual(render(user, { ...request, tools: [tide, dice] }));
    }
  });
});

describe("tools in the prompt", () => {
  it.each(families)("%s: every tool's name is shown after the caller's own system text", (emulate) => {
    const { messages } = render(
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      { emulate },
    );
    expect(messages).toHaveLength(2);
    const text = joinText(messages[0]?.content ?? "");
    expect(text.startsWith("Be brief.\n\n")).toBe(true);
    expect(text).toContain("lookup_tide");
    expect(text).toContain("roll_dice");
  });

  it("an unknown family is asked for hermes-json", () => {
    const messages: readonly Message[] = [{ role: "user", content: "Hi" }];
    expect(render(messages, { emulate: "no-such-family" })).toEqual(render(messages, { emulate: "hermes-json" }));
  });

  it("several leading system messages become one", () => {
    const { messages } = render(
      [
        { role: "system", content: "One." },
        { role: "developer", content: "Two." },
        { role: "user", content: "Hi" },
      ],
      { tools: [] },
    );
    expect(lines(messages)).toEqual(["system: One.\n\nTwo.", "user: Hi"]);
  });

  it("a model without a system role reads the system text in front of the first user message", () => {
    const { messages } = render(
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      { systemRole: "user", tools: [] },
    );
    expect(lines(messages)).toEqual(["user: Be brief.\n\nHi"]);
  });

  it("a required call and a named call are demanded, and plain answers are not offered then", () => {
    const messages: readonly Message[] = [{ role: "user", content: "Hi" }];
    const required = joinText(render(messages, { toolChoice: { type: "required" } }).messages[0]?.content ?? "");
    expect(required).toContain("You must call a tool in this answer");
    expect(required).not.toContain("When no tool is needed");
    const named = render(messages, { toolChoice: { type: "tool", name: "roll_dice" } });
    expect(joinText(named.messages[0]?.content ?? "")).toContain("You must call the tool roll_dice in this answer");
  });

  it("one call an answer is said where the caller wants no parallel calls", () => {
    const { messages } = render([{ role: "user", content: "Hi" }], { parallelToolCalls: false });
    const text = joinText(messages[0]?.content ?? "");
    expect(text).toContain("Write at most one call in an answer.");
    expect(text).not.toContain("For several calls");
  });

  it.each([
    ["no tools", { tools: [] }],
    ["tool_choice none", { toolChoice: { type: "none" } as const }],
  ])("%s: the history is still text, and nothing is added", (_, changes) => {
    const { messages, stop } = render(twoCalls, { ...changes, emulate: "react-text" });
    expect(lines(messages)).toEqual([
      "user: Roll and look.",
      'assistant: Action: lookup_tide\nAction Input: {"port":"Brest"}\nAction: roll_dice\nAction Input: {}',
      "user: Observation: low at 06:12\nObservation: six",
    ]);
    expect(stop).toEqual([]);
  });
});

describe("history", () => {
  it.each(families)("%s: only system, user and assistant messages of plain text are left", (emulate) => {
    const { messages } = render([...twoCalls, { role: "user", content: "And?" }], { emulate });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    for (const message of messages) {
      expect(typeof message.content).toBe("string");
      expect(message.toolCalls).toBeUndefined();
      expect(message.toolCallId).toBeUndefined();
    }
  });

  it.each(families)("%s: results stand in one turn, in the order of the calls", (emulate) => {
    const { messages } = render(twoCalls, { emulate });
    const results = joinText(messages.at(-1)?.content ?? "");
    expect(results.indexOf("low at 06:12")).toBeGreaterThan(-1);
    expect(results.indexOf("low at 06:12")).toBeLessThan(results.indexOf("six"));
  });

  it("a user message behind results joins their turn, so that roles alternate", () => {
    const { messages } = render([...twoCalls, { role: "user", content: "And?" }], { tools: [] });
    expect(joinText(messages.at(-1)?.content ?? "").endsWith("</tool_response>\n\nAnd?")).toBe(true);
  });

  it("pictures of a user message stay, text parts around them too", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
    const content = [{ type: "text", text: "What is this?" } as const, image];
    const plain = render([{ role: "user", content }], { tools: [] });
    expect(plain.messages).toEqual([{ role: "user", content }]);
    const led = render(
      [
        { role: "system", content: "Brief." },
        { role: "user", content },
      ],
      {
        tools: [],
        systemRole: "user",
      },
    );
    expect(led.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Brief." }, ...content] }]);
  });

  it("a message of text parts becomes one string", () => {
    const content = [{ type: "text", text: "a" } as const, { type: "text", text: "b" } as const];
    expect(lines(render([{ role: "user", content }], { tools: [] }).messages)).toEqual(["user: ab"]);
  });

  it("arguments that are no JSON object are kept as text", () => {
    const broken: Message = { role: "assistant", content: null, toolCalls: [call("a", "roll_dice", "{'sides': 6")] };
    const { messages } = render([broken], { tools: [] });
    expect(joinText(messages[0]?.content ?? "")).toContain('{"arguments":"{\'sides\': 6"}');
  });

  it("a result without its call in the history is still shown", () => {
    const { messages } = render([{ role: "tool", toolCallId: "gone", content: "late" }], { tools: [] });
    expect(lines(messages)).toEqual(["user: <tool_response>\nlate\n</tool_response>"]);
  });

  it("kimi-k2: calls are counted through the conversation, and ids of the family's own form stay", () => {
    const { messages } = render(
      [
        { role: "assistant", content: null, toolCalls: [call("functions.roll_dice:7", "roll_dice", "{}")] },
        { role: "tool", toolCallId: "functions.roll_dice:7", content: "1" },
        { role: "assistant", content: null, toolCalls: [call("call_x", "roll_dice", "{}")] },
        { role: "tool", toolCallId: "call_x", content: "2" },
      ],
      { emulate: "kimi-k2", tools: [] },
    );
    expect(lines(messages).join("\n")).toMatch(
      /functions\.roll_dice:7<[\s\S]*Return of functions\.roll_dice:7\n1[\s\S]*functions\.roll_dice:1<[\s\S]*Return of functions\.roll_dice:1\n2/,
    );
  });

  it("mistral-array: ids are nine letters and digits, equal in call and result", () => {
    const { messages } = render(twoCalls, { emulate: "mistral-array", tools: [] });
    const ids = [
      ...lines(messages)
        .join("\n")
        .matchAll(/"(?:call_)?id": "([^"]*)"/g),
    ].map((match) => match[1]);
    expect(ids).toEqual(["000000000", "000000001", "000000000", "000000001"]);
  });
});

describe("a tool result that holds marks", () => {
  it.each(families)("%s: cannot pose as a call, a result or a turn", (emulate) => {
    const marks = RENDERINGS.get(emulate)?.marks ?? [];
    const tokens = ["<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|tool_call>", "<｜tool▁calls▁begin｜>"];
    const hostile = [...marks, ...tokens].map((mark) => `${mark} x `).join("");
    const clean = render([{ role: "tool", content: "fine" }], { emulate, tools: [] });
    const { messages } = render([{ role: "tool", content: hostile }], { emulate, tools: [] });
    const text = joinText(messages[0]?.content ?? "");
    const frame = joinText(clean.messages[0]?.content ?? "");
    for (const mark of [...marks, ...tokens]) {
      expect(text.split(mark).length).toBe(frame.split(mark).length);
    }
  });

  it("can still be read: one backslash breaks each mark, and other text is untouched", () => {
    const content = "a < b |> c <tool_call> </tool_response><|im_end|> 5 <| x";
    const { messages } = render([{ role: "tool", content }], { tools: [] });
    expect(joinText(messages[0]?.content ?? "")).toBe(
      "<tool_response>\na < b |> c <\\tool_call> <\\/tool_response><\\|im_end|> 5 <| x\n</tool_response>",
    );
  });

  it("of 1 MB is read once", () => {
    const content = "<|".repeat(250_000) + "_".repeat(500_000);
    const { messages } = render([{ role: "tool", content }], { tools: [] });
    expect(joinText(messages[0]?.content ?? "").length).toBeGreaterThanOrEqual(content.length);
  });
});
