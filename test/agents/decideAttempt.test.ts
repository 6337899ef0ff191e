import { describe, expect, it } from "@jest/globals";
import { type AttemptContext, decideAttempt } from "../../src/agents/decideAttempt.ts";
import { RetryStrategy } from "../../src/agents/RetryStrategy.ts";
import { failure } from "../../src/core/failures.ts";
import type { AttemptResult } from "../../src/core/run.ts";
import { call, issue } from "./ScriptedAgent.ts";

const RESULT: AttemptResult = { said: "", calls: [], issues: [], refused: [], finishReason: "stop" };
const CONTEXT: AttemptContext = {
  strategy: new RetryStrategy(2),
  asked: 0,
  maySwitch: true,
  tools: [{ name: "search", parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } }],
  output: { type: "text" },
  emulate: "hermes-json",
};

const toolsRefused = failure("upstream_refused", "No tools here.", { toolsRefused: true });

describe("decideAttempt", () => {
  const cases: readonly [string, Partial<AttemptResult>, Partial<AttemptContext>, string][] = [
    ["plain text under auto stands", { said: "Hello" }, {}, "accept"],
    ["an empty answer stands", {}, {}, "accept"],
    [
      "a call stands, whatever else was wrong",
      { calls: [call("search")], issues: [issue("malformed-call")] },
      {},
      "accept",
    ],
    ["an unreadable explicit call is asked again", { issues: [issue("malformed-call")] }, {}, "ask-again"],
    ["an unknown tool is asked again", { issues: [issue("unknown-tool")] }, {}, "ask-again"],
    ["arguments that do not fit are asked again", { issues: [issue("invalid-arguments")] }, {}, "ask-again"],
    ["a missing required call is asked again", { issues: [issue("missing-call")] }, {}, "ask-again"],
    ["a cut call is asked again where no limit cut it", { issues: [issue("truncated-call")] }, {}, "ask-again"],
    [
      "nothing is asked again after length",
      { issues: [issue("truncated-call")], finishReason: "length" },
      {},
      "accept",
    ],
    [
      "nothing is asked again after a content filter",
      { issues: [issue("missing-call")], finishReason: "content_filter" },
      {},
      "accept",
    ],
    ["a stray mark is not asked again", { issues: [issue("stray-mark")] }, {}, "accept"],
    ["an ambiguous call is not asked again", { issues: [issue("ambiguous-call")] }, {}, "accept"],
    ["a repeated call is not asked again", { issues: [issue("repeated-call")] }, {}, "accept"],
    ["an answer of the wrong form is asked again", { said: "x", invalidOutput: "no JSON" }, {}, "ask-again"],
    ["the last permitted attempt may still be asked", { issues: [issue("malformed-call")] }, { asked: 1 }, "ask-again"],
    ["a spent budget ends it", { issues: [issue("malformed-call")] }, { asked: 2 }, "accept"],
    [
      "a budget of nothing never asks",
      { issues: [issue("malformed-call")] },
      { strategy: new RetryStrategy(0) },
      "accept",
    ],
    ["an upstream that refuses tools is asked in text", { failure: toolsRefused }, {}, "switch-mode"],
    ["a pinned mode is not switched", { failure: toolsRefused }, { maySwitch: false }, "accept"],
    ["a refusal after text ends the turn", { failure: toolsRefused, said: "Hm" }, {}, "accept"],
    ["a refusal after a call ends the turn", { failure: toolsRefused, calls: [call("search")] }, {}, "accept"],
    [
      "any other failure ends the turn",
      { failure: failure("upstream_error", "500"), issues: [issue("malformed-call")] },
      {},
      "accept",
    ],
  ];
  it.each(cases)("%s", (_title, result, context, expected) => {
    expect(decideAttempt({ ...RESULT, ...result }, { ...CONTEXT, ...context }).type).toBe(expected);
  });
});

describe("the words in which a model is asked again", () => {
  function correctionOf(result: Partial<AttemptResult>, context: Partial<AttemptContext> = {}) {
    const decision = decideAttempt({ ...RESULT, ...result }, { ...CONTEXT, ...context });
    if (decision.type !== "ask-again") throw new Error(`expected ask-again, got ${decision.type}`);
    return decision;
  }

  it("quotes a text call back and corrects it as the user", () => {
    const { correction } = correctionOf({ said: "Look: <tool_call>{", issues: [issue("malformed-call")] });
    expect(correction.map(({ role }) => role)).toEqual(["assistant", "user"]);
    expect(correction[0]?.content).toBe("Look: <tool_call>{");
    expect(correction[1]?.content).toContain("search");
  });

  it("sends no empty assistant message", () => {
    const { correction } = correctionOf({ said: " \n", issues: [issue("missing-call")] });
    expect(correction.map(({ role }) => role)).toEqual(["user"]);
  });

  it("corrects native calls by results under their ids", () => {
    const one = issue("unknown-tool", { callId: "a" });
    const two = issue("invalid-arguments", { callId: "b", tool: "search" });
    const { correction } = correctionOf({
      issues: [one, two],
      refused: [
        { issue: one, id: "a", name: "find it", arguments: '{"q":"x"}' },
        { issue: two, id: "b", name: "search", arguments: '{"q":' },
      ],
    });
    expect(correction.map(({ role, toolCallId }) => [role, toolCallId])).toEqual([
      ["assistant", undefined],
      ["tool", "a"],
      ["tool", "b"],
    ]);
    expect(correction[0]?.content).toBeNull();
    const history = correction[0]?.toolCalls ?? [];
    expect(history.map(({ name }) => name)).toEqual(["find_it", "search"]);
    // A server that parses the history must be able to.
    expect(history.map((made) => JSON.parse(made.arguments))).toEqual([{ q: "x" }, {}]);
    expect(correction[2]?.content).toContain('{"q":');
  });

  it("asks for the form of the output alone, without tools", () => {
    const output = { type: "json_schema", name: "out", schema: { type: "object" }, strict: true } as const;
    const { correction, withoutTools, reason } = correctionOf({ said: "Sure!", invalidOutput: "no JSON" }, { output });
    expect(withoutTools).toBe(true);
    expect(reason).toContain("no JSON");
    expect(correction[1]?.content).toContain('{"type":"object"}');
  });

  it("keeps the tools where a call was wrong", () => {
    expect(correctionOf({ issues: [issue("malformed-call")] }).withoutTools).toBe(false);
  });
});
