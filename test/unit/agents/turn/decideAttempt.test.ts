import { describe, expect, it } from "@jest/globals";
import { type AttemptContext, decideAttempt } from "../../../../src/agents/turn/decideAttempt.ts";
import { RetryStrategy } from "../../../../src/agents/turn/RetryStrategy.ts";
import { createFailure } from "../../../../src/core/failures.ts";
import type { AttemptResult } from "../../../../src/core/runs/RunState.ts";
import { call, issue } from "../../../support/agents/ScriptedAgent.ts";

const RESULT: AttemptResult = {
  said: "",
  spoke: false,
  showed: false,
  declined: false,
  calls: [],
  issues: [],
  refused: [],
  finishReason: "stop",
};
const CONTEXT: AttemptContext = {
  strategy: new RetryStrategy(2),
  earlier: [],
  textSent: false,
  textLeft: false,
  hasNextRoute: true,
  onInvalid: "error",
  untouched: false,
  tools: [
    {
      name: "search",
      parameters: {
        type: "object",
        properties: { q: { type: "string" } },
        required: ["q"],
      },
    },
  ],
  output: { type: "text" },
  emulate: "hermes-json",
};

const MALFORMED = { ...RESULT, issues: [issue("malformed-call")] };
const WORDS = { said: "Hello", spoke: true };
const UNALLOWED = [{ issue: issue("stray-mark"), id: "a", name: "search", arguments: "{}" }];
const UNFIT = [{ issue: issue("invalid-arguments"), id: "a", name: "search", arguments: "{" }];
const toolsRefused = createFailure("upstream_refused", "No tools here.", { toolsRefused: true });

describe("decideAttempt", () => {
  const cases: readonly [string, Partial<AttemptResult>, Partial<AttemptContext>, string][] = [
    ["plain text under auto stands", WORDS, {}, "accept"],
    ["an empty answer is asked for once more", {}, {}, "ask-for-answer"],
    ["thoughts alone are an empty answer", { beside: { reasoning: "Hm." } }, {}, "ask-for-answer"],
    ["the second empty answer stands", {}, { earlier: [RESULT] }, "accept"],
    ["words after an empty answer stand", WORDS, { earlier: [RESULT] }, "accept"],
    ["a fault after an empty answer is asked again", MALFORMED, { earlier: [RESULT] }, "ask-again"],
    ["an empty answer that nobody may ask for stands", {}, { strategy: new RetryStrategy(0) }, "accept"],
    ["an empty answer that the limit ended stands", { finishReason: "length" }, {}, "accept"],
    ["an empty answer of which nothing is demanded stands", {}, { untouched: true }, "accept"],
    ["a refusal or a picture is no empty answer", { showed: true }, {}, "accept"],
    ["a refusal stands where a call was demanded", { declined: true, issues: [issue("missing-call")] }, {}, "accept"],
    ["a refusal stands whatever form was asked for", { declined: true, invalidOutput: "no JSON" }, {}, "accept"],
    ["a refusal stands beside a call that does not fit", { ...MALFORMED, declined: true }, {}, "accept"],
    ["a refusal stands though the tools may have been dropped", { declined: true, toolsDropped: "few" }, {}, "accept"],
    ["a refusal stands after an attempt that failed", { declined: true }, { earlier: [MALFORMED] }, "accept"],
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
    ["a stray mark beside words is not asked again", { ...WORDS, issues: [issue("stray-mark")] }, {}, "accept"],
    ["an ambiguous call alone is asked again", { issues: [issue("ambiguous-call")] }, {}, "ask-again"],
    [
      "a second call that was left out is not",
      { calls: [call("search")], issues: [issue("ambiguous-call")] },
      {},
      "accept",
    ],
    ["a stray mark alone is an empty answer", { issues: [issue("stray-mark")] }, {}, "ask-for-answer"],
    ["a repeated call is not asked again", { calls: [call("search")], issues: [issue("repeated-call")] }, {}, "accept"],
    ["an answer of the wrong form is asked again", { said: "x", invalidOutput: "no JSON" }, {}, "ask-again"],
    [
      "the last permitted attempt may still be asked",
      { issues: [issue("malformed-call")] },
      { earlier: [MALFORMED] },
      "ask-again",
    ],
    ["a spent budget fails", { issues: [issue("malformed-call")] }, { earlier: [MALFORMED, MALFORMED] }, "fail"],
    [
      "a required call that never comes fails",
      { ...WORDS, issues: [issue("missing-call")] },
      { earlier: [MALFORMED, MALFORMED] },
      "fail",
    ],
    [
      "an answer that never has its form fails",
      { ...WORDS, invalidOutput: "no JSON" },
      { strategy: new RetryStrategy(0) },
      "fail",
    ],
    ["words after a question stand", WORDS, { earlier: [MALFORMED] }, "accept"],
    [
      "words after words that have left fail, for they cannot be joined",
      WORDS,
      { earlier: [MALFORMED], textSent: true },
      "fail",
    ],
    [
      "a call after words that have left stands",
      { calls: [call("search")] },
      { earlier: [MALFORMED], textSent: true },
      "accept",
    ],
    ["silence after a question is asked for an answer", {}, { earlier: [MALFORMED] }, "ask-for-answer"],
    [
      "silence twice after a question fails",
      {},
      { earlier: [MALFORMED, RESULT], strategy: new RetryStrategy(9) },
      "fail",
    ],
    ["silence after words that have left fails", {}, { earlier: [MALFORMED], textSent: true }, "fail"],
    ["a call that was not allowed fails where it is all there is", { refused: UNALLOWED }, {}, "fail"],
    [
      "a call that was not allowed is left out where there is an answer",
      { ...WORDS, refused: UNALLOWED },
      {},
      "accept",
    ],
    [
      "a budget of nothing never asks",
      { issues: [issue("malformed-call")] },
      { strategy: new RetryStrategy(0) },
      "fail",
    ],
    ["an upstream that refuses tools is asked in text", { failure: toolsRefused }, {}, "next-route"],
    ["a pinned mode is not switched", { failure: toolsRefused }, { hasNextRoute: false }, "fail"],
    ["a refusal after text ends the turn", { failure: toolsRefused, said: "Hm" }, {}, "fail"],
    ["a refusal after a call ends the turn", { failure: toolsRefused, calls: [call("search")] }, {}, "fail"],
    [
      "any other failure ends the turn",
      { failure: createFailure("upstream_error", "500"), issues: [issue("malformed-call")] },
      {},
      "fail",
    ],
  ];
  it.each(cases)("%s", (_title, result, context, expected) => {
    expect(decideAttempt({ ...RESULT, ...result }, { ...CONTEXT, ...context }).type).toBe(expected);
  });

  const spent = { strategy: new RetryStrategy(0) };
  const policies: readonly [string, Partial<AttemptResult>, AttemptContext["onInvalid"], string][] = [
    ["text: the model's own words", { issues: [issue("malformed-call")] }, "text", "words"],
    [
      "text: of a structured call too",
      { issues: [UNFIT[0]?.issue ?? issue("stray-mark")], refused: UNFIT },
      "text",
      "words",
    ],
    [
      "pass: a structured call as it came",
      { issues: [issue("invalid-arguments")], refused: UNFIT },
      "pass",
      "calls-as-they-came",
    ],
    ["pass: a call in text as its text", { issues: [issue("malformed-call")] }, "pass", "words"],
    ["pass: words where a call was demanded", { ...WORDS, issues: [issue("missing-call")] }, "pass", "words"],
    [
      "error: a call that the limit cut is no call and no failure",
      { issues: [issue("truncated-call")], finishReason: "length" },
      "error",
      "answer",
    ],
    [
      "text: a call that the limit cut is text",
      { issues: [issue("truncated-call")], finishReason: "length" },
      "text",
      "words",
    ],
    [
      "pass: not even then is a cut call passed on",
      { issues: [issue("truncated-call")], refused: UNFIT, finishReason: "length" },
      "pass",
      "words",
    ],
  ];
  it.each(policies)("%s", (_title, result, onInvalid, expected) => {
    const decision = decideAttempt({ ...RESULT, ...result }, { ...CONTEXT, ...spent, onInvalid });
    expect(decision).toEqual({ type: "accept", as: expected });
  });
});

describe("the failure of a turn that gave no valid call", () => {
  function failureOf(result: Partial<AttemptResult>, context: Partial<AttemptContext> = {}) {
    const decision = decideAttempt({ ...RESULT, ...result }, { ...CONTEXT, ...context });
    if (decision.type !== "fail") throw new Error(`expected fail, got ${decision.type}`);
    return decision.failure;
  }
  const spent = { strategy: new RetryStrategy(0) };

  it("names what was refused, with its arguments and the reason", () => {
    const refused = issue("invalid-arguments", { message: "q is missing", tool: "search", raw: 'search({"x":1})' });
    const found = failureOf(
      { issues: [refused], refused: [{ issue: refused, id: "a", name: "search", arguments: '{"x":1}' }] },
      spent,
    );
    expect(found.code).toBe("model_call_invalid");
    expect(found.message).toContain("q is missing");
    expect(found.details).toEqual({
      attempts: 1,
      retriesSpent: true,
      refused: [{ code: "invalid-arguments", name: "search", arguments: '{"x":1}', reason: "q is missing" }],
    });
  });

  it("names those of every attempt, in order, a call in text by what the model wrote", () => {
    const first = { ...RESULT, issues: [issue("malformed-call", { raw: "<tool_call>{" })] };
    const { details } = failureOf(
      { ...WORDS, issues: [issue("missing-call", { tool: "search" })] },
      { earlier: [first, first] },
    );
    expect(details?.refused).toEqual([
      { code: "malformed-call", name: null, arguments: "<tool_call>{", reason: "This is a malformed-call." },
      { code: "malformed-call", name: null, arguments: "<tool_call>{", reason: "This is a malformed-call." },
      { code: "missing-call", name: "search", arguments: null, reason: "This is a missing-call." },
    ]);
  });

  it("stays short, however much the model wrote", () => {
    const long = issue("malformed-call", { raw: "😀".repeat(100_000), message: "x".repeat(100_000) });
    expect(JSON.stringify(failureOf({ issues: Array.from({ length: 100 }, () => long) }, spent)).length).toBeLessThan(
      30_000,
    );
  });

  it("of an answer that a schema binds is one of its own", () => {
    const found = failureOf({ ...WORDS, invalidOutput: "a is missing" }, spent);
    expect(found).toMatchObject({
      code: "model_output_invalid",
      details: { retriesSpent: true, reason: "a is missing" },
    });
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
