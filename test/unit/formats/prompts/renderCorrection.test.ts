// The words of the second question: they must name the fault, show the way, and not repeat the mess.
import { describe, expect, it } from "@jest/globals";
import type { FormatIssue, FormatIssueCode } from "../../../../src/core/events/issues.ts";
import type { ToolSpec } from "../../../../src/core/messages.ts";
import { renderCorrection } from "../../../../src/formats/prompts/renderCorrection.ts";
import { renderCall } from "../../../../src/formats/prompts/toolSection.ts";
import { RENDERINGS } from "../../../../src/formats/specs/prompts.ts";

const tools: readonly ToolSpec[] = [
  {
    name: "lookup_tide",
    parameters: {
      type: "object",
      properties: { port: { type: "string" }, day: { type: "integer" }, unit: { enum: ["m", "ft"] } },
      required: ["port", "day", "unit"],
    },
  },
  { name: "roll_dice" },
];

const codes: readonly FormatIssueCode[] = [
  "malformed-call",
  "truncated-call",
  "unknown-tool",
  "invalid-arguments",
  "ambiguous-call",
  "missing-call",
  "invalid-output",
  "stray-mark",
  "repeated-call",
  "too-many-calls",
];

function correction(issue: FormatIssue, emulate = "hermes-json"): string {
  return renderCorrection(issue, { tools, emulate });
}

describe("asking a model again", () => {
  it.each([...RENDERINGS.keys()])(
    "%s: ends with the form of a call, without a value, in the family's own format",
    (emulate) => {
      const text = correction({ code: "malformed-call", message: "No closing brace.", tool: "lookup_tide" }, emulate);
      const skeleton = renderCall(
        { name: "lookup_tide", arguments: '{"port": "<value>", "day": "<value>", "unit": "<value>"}' },
        emulate,
      );
      expect(text.endsWith(skeleton)).toBe(true);
    },
  );

  it("a call that names no tool is answered with a form that names none, and a call that cannot be read with its own tool's", () => {
    const nameless = correction({ code: "malformed-call", message: "Odd.", raw: "<tool_call>{]</tool_call>" });
    expect(nameless).toContain('{"name": "tool_name", "arguments": {"parameter": "<value>"}}');
    expect(nameless).not.toContain('"lookup_tide"');
    const named = correction({
      code: "malformed-call",
      message: "Odd.",
      raw: '{"name": "lookup_tide", "arguments": {]',
    });
    expect(named).toContain('{"name": "lookup_tide", "arguments": {"port": "<value>"');
    const doubtful = correction({ code: "malformed-call", message: "Odd.", raw: "lookup_tide or roll_dice" });
    expect(doubtful).toContain('{"name": "tool_name"');
  });

  it("a tool without arguments is named in words, for its whole form would be a call", () => {
    const text = correction({ code: "malformed-call", message: "Odd.", tool: "roll_dice" });
    expect(text).toContain("Call roll_dice without arguments.");
    expect(text).not.toContain('"roll_dice"');
  });

  it.each(codes)("%s: says what happened in words of its own", (code) => {
    const others = codes.filter((other) => other !== code).map((other) => correction({ code: other, message: "" }));
    expect(others).not.toContain(correction({ code, message: "" }));
  });

  it("an unknown tool is answered with the offered names", () => {
    const text = correction({ code: "unknown-tool", message: 'There is no tool "tide".' });
    expect(text).toContain('There is no tool "tide".');
    expect(text).toContain("The tools are: lookup_tide, roll_dice.");
  });

  it("arguments that do not fit are answered with the tool's schema", () => {
    const text = correction({ code: "invalid-arguments", message: "day: integer expected.", tool: "lookup_tide" });
    expect(text).toContain("day: integer expected.");
    expect(text).toContain(JSON.stringify(tools[0]?.parameters));
  });

  it("the model's own text is never quoted beyond 300 characters, nor its marks", () => {
    const raw = `<tool_call>${"x".repeat(5_000)}`;
    const text = correction({ code: "malformed-call", message: `Cannot read ${raw}`, raw, tool: "roll_dice" });
    expect(text).not.toContain("x".repeat(300));
    expect(text.split("<tool_call>")).toHaveLength(2);
  });

  it("a schema too large to show is replaced by its parameter names", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`p${n}`, { type: "string", description: "long ".repeat(5) }]),
    );
    const big: ToolSpec = { name: "big", parameters: { type: "object", properties, required: ["p7"] } };
    const issue: FormatIssue = { code: "invalid-arguments", message: "", tool: "big" };
    const text = renderCorrection(issue, { tools: [big], emulate: "hermes-json" });
    expect(text).toContain("(required: p7)");
    expect(text.length).toBeLessThan(5_000);
  });

  it("a model that calls through the wire's field is shown no text form", () => {
    const one = renderCorrection({ code: "invalid-arguments", message: "No port.", tool: "lookup_tide" }, { tools });
    expect(one).toContain(
      'Call lookup_tide with arguments of this form, with real values instead of <value>: {"port": "<value>"',
    );
    const none = renderCorrection({ code: "missing-call", message: "" }, { tools });
    expect(none).toMatch(/The tools are: lookup_tide, roll_dice\.\n\nCall one of them now\.$/);
    expect(one + none).not.toContain("<tool_call>");
  });

  it("without tools there is no skeleton to show", () => {
    expect(renderCorrection({ code: "malformed-call", message: "Odd." }, { tools: [], emulate: "react-text" })).toBe(
      "Your tool call could not be read, and nothing was executed. Odd.",
    );
  });
});
