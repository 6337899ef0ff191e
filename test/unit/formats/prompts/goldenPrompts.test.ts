// One readable prompt per family. After an intended change: UPDATE_FIXTURES=1 npm run jest -- test/unit/formats/prompts/goldenPrompts
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import type { Message, ToolSpec } from "../../../../src/core/messages.ts";
import { joinText } from "../../../../src/core/messages.ts";
import { renderTextRequest } from "../../../../src/formats/prompts/renderTextRequest.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";

const folder = new URL("../../../../fixtures/prompts/", import.meta.url);

const tools: readonly ToolSpec[] = [
  {
    name: "lookup_tide",
    description: "Times of high and low water at a port.",
    parameters: {
      type: "object",
      properties: {
        port: { type: "string", description: "Name of the port" },
        day: { type: "integer", description: "Days from today" },
        unit: { type: "string", enum: ["m", "ft"] },
      },
      required: ["port"],
    },
  },
  { name: "roll_dice", description: "Rolls a die.\nGives a number from 1 to 6." },
];

const messages: readonly Message[] = [
  { role: "system", content: "You help sailors." },
  { role: "user", content: "When is low water at Brest in three days?" },
  {
    role: "assistant",
    content: "I look it up.",
    toolCalls: [
      {
        id: "call_1",
        name: "lookup_tide",
        arguments: '{"port": "Brest", "day": 3}',
        origin: "native",
        repairs: [],
        raw: "",
      },
    ],
  },
  { role: "tool", toolCallId: "call_1", content: '{"low": "06:12"}' },
];

describe("the prompt of a text-mode request", () => {
  for (const family of RENDERINGS.keys()) {
    it(`is what fixtures/prompts/${family}.txt shows`, () => {
      const file = new URL(`${family}.txt`, folder);
      const prompt = promptOf(family);
      if (process.env.UPDATE_FIXTURES === "1") writeFileSync(file, prompt);
      expect(prompt).toBe(readFileSync(file, "utf8"));
    });
  }

  it("has a fixture for every family and no fixture without one", () => {
    const files = readdirSync(folder).map((name) => name.replace(/\.txt$/, ""));
    expect(files.toSorted()).toEqual([...RENDERINGS.keys()].toSorted());
  });
});

function promptOf(family: string): string {
  const { messages: rendered, stop } = runToCompletion(
    renderTextRequest({
      messages,
      tools,
      toolChoice: { type: "auto" },
      parallelToolCalls: undefined,
      emulate: family,
      systemRole: "system",
    }),
  );
  const turns = rendered.map(({ role, content }) => `=== ${role} ===\n${joinText(content)}\n`);
  return [...turns, `=== stop ===\n${stop.join("\n")}`].join("\n").trimEnd().concat("\n");
}
