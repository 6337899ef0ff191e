// A model that repeats what it was shown has called nothing: neither the prompt's form and example nor the correction's form is a call.
import { describe, expect, it } from "@jest/globals";
import { runToCompletion } from "../../../../src/core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../../../src/core/events/issues.ts";
import type { ToolSpec } from "../../../../src/core/messages.ts";
import { joinText } from "../../../../src/core/messages.ts";
import { MultiFormatOutputParser } from "../../../../src/formats/MultiFormatOutputParser.ts";
import { renderCorrection } from "../../../../src/formats/prompts/renderCorrection.ts";
import { renderTextRequest } from "../../../../src/formats/prompts/renderTextRequest.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";
import type { ParserEvent } from "../../../../src/formats/state/ParserEvent.ts";
import { fitCall } from "../../../../src/formats/validation/fitCall.ts";
import { readNativeCalls } from "../../../../src/formats/validation/normalizeNativeCall.ts";

const FREE: ToolSpec = { name: "delete_all", description: "Deletes everything." };
const OPTIONAL: ToolSpec = {
  name: "wipe",
  parameters: { type: "object", properties: { path: { type: "string" }, deep: { type: "boolean" } } },
};
const WRITER: ToolSpec = {
  name: "write_note",
  parameters: {
    type: "object",
    properties: { title: { type: "string" }, text: { type: "string" }, tags: { type: "array" } },
    required: ["title", "text"],
  },
};
const tools: readonly ToolSpec[] = [FREE, OPTIONAL, WRITER];

/** Tools that take anything and are called what prompts and their examples call theirs. */
const taken: readonly ToolSpec[] = ["tool_name", "countLetters", "spell-backwards", "parameter", "function_name"].map(
  (name) => ({ name }),
);

const issues: readonly FormatIssue[] = [
  { code: "malformed-call", message: "It cannot be read." },
  { code: "unknown-tool", message: "There is no such tool." },
  { code: "missing-call", message: "" },
  ...tools.map(({ name }): FormatIssue => ({ code: "invalid-arguments", message: "They do not fit.", tool: name })),
];

describe.each([...RENDERINGS.keys()])("%s: a model that repeats what it was shown calls nothing", (family) => {
  it.each([
    ["tools of its own", tools],
    ["tools that are called like those of the prompt", taken],
  ])("the prompt, whole and by its paragraphs, with %s", (_case, offered) => {
    const prompt = promptOf(family, offered);
    const paragraphs = prompt.split("\n\n");
    const answers = [prompt, ...paragraphs, ...paragraphs.map(withoutFirstLine), ...paragraphs.map(withoutTwoLines)];
    for (const answer of answers) expect(callsIn(answer, family, offered)).toEqual([]);
  });

  it.each(issues)("the correction, whole and its form alone ($code, $tool)", (issue) => {
    const correction = renderCorrection(issue, { tools, emulate: family });
    const form = withoutFirstLine(correction.split("\n\n").slice(2).join("\n\n") || correction);
    for (const answer of [correction, form, correction.slice(correction.lastIndexOf(":\n") + 2)])
      expect(callsIn(answer, family, tools)).toEqual([]);
  });
});

it.each(tools)("by the wire's field too: the arguments that a correction shows for $name are refused", (tool) => {
  const words = renderCorrection({ code: "invalid-arguments", message: "", tool: tool.name }, { tools });
  const shown = words.slice(words.lastIndexOf(": {") + 2);
  if (tool === FREE) expect(words).toMatch(/Call delete_all without arguments\.$/);
  else {
    const [candidate] = readNativeCalls({ name: tool.name, arguments: shown });
    expect(candidate && fitCall(candidate, { tools, family: "native", raw: "" }).type).toBe("issue");
  }
});

it("a prompt whose example and form would be an offered tool shows others", () => {
  expect(promptOf("hermes-json", tools)).toContain('"count_letters"');
  const prompt = promptOf("hermes-json", taken);
  expect(prompt).toContain('"list_rhymes_of_word"');
  expect(prompt).toContain('"name_of_the_tool"');
});

function promptOf(family: string, offered: readonly ToolSpec[]): string {
  const { messages } = runToCompletion(
    renderTextRequest({
      messages: [],
      tools: offered,
      toolChoice: { type: "auto" },
      parallelToolCalls: undefined,
      emulate: family,
      systemRole: "system",
    }),
  );
  return messages.map(({ content }) => joinText(content)).join("\n\n");
}

function withoutFirstLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

function withoutTwoLines(text: string): string {
  return withoutFirstLine(withoutFirstLine(text));
}

function callsIn(answer: string, family: string, offered: readonly ToolSpec[]): readonly ParserEvent[] {
  let drawn = 0;
  const parser = new MultiFormatOutputParser({
    tools: offered,
    callsAllowed: true,
    toolMode: "text",
    formats: [],
    emulate: family,
    reasoningOpened: false,
    ids: { callId: () => `id${drawn++}` },
    captureChars: 1_000_000,
  });
  return [...parser.feed(answer), ...parser.finish("stop")].filter(({ type }) => type === "call");
}
