import { describe, expect, it } from "@jest/globals";
import type { AttemptConversation, AttemptEvent } from "../../../../src/agents/Agent.ts";
import { RetryStrategy } from "../../../../src/agents/turn/RetryStrategy.ts";
import { runTurn } from "../../../../src/agents/turn/runTurn.ts";
import type { TurnEvent } from "../../../../src/core/events/events.ts";
import { createFailure } from "../../../../src/core/failures.ts";
import {
  broken,
  call,
  ended,
  issue,
  made,
  opened,
  routesOf,
  ScriptedAgent,
  text,
} from "../../../support/agents/ScriptedAgent.ts";
import { collect, pulled } from "../../../support/events.ts";

const CONVERSATION: AttemptConversation = {
  id: "run",
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ name: "search" }, { name: "open" }],
  toolChoice: { type: "auto" },
  sampling: {},
  output: { type: "text" },
  passthrough: {},
  stream: true,
};
const CALLS = { handedOver: 128, gateway: new Set<string>() };
const PLAIN = { stream: false };
const JSON_OUTPUT = { output: { type: "json_object" } } as const;
const malformed: AttemptEvent = { type: "issue", issue: issue("malformed-call", { raw: "<tool_call>{x</tool_call>" }) };

async function play(
  agent: ScriptedAgent,
  more: Partial<AttemptConversation> = {},
  signal = new AbortController().signal,
) {
  const events: TurnEvent[] = [];
  const request = {
    conversation: { ...CONVERSATION, ...more },
    chosen: { agent },
    strategy: new RetryStrategy(2),
    calls: CALLS,
  };
  await runTurn(request, signal, (more) => {
    events.push(...more);
    return undefined;
  });
  agent.verify();
  return { events, types: events.map(({ type }) => type), ...(await collect(replay(events))) };
}

async function* replay(events: readonly TurnEvent[]) {
  yield* events;
}

describe("a turn of one attempt", () => {
  it("passes text on piece by piece and ends once", async () => {
    const {
      types,
      text: said,
      end,
    } = await play(new ScriptedAgent("native", [opened, text("Hel"), text("lo"), ended()]));
    expect(types).toEqual(["turn-start", "text-delta", "text-delta", "turn-end"]);
    expect(said).toBe("Hello");
    expect(end).toEqual({
      type: "turn-end",
      finishReason: "stop",
      upstreamFinishReason: "stop",
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
      usagePartial: false,
      attempts: 1,
      retries: 0,
    });
  });

  const ends: readonly [string | null, boolean, string][] = [
    ["stop", false, "stop"],
    ["stop", true, "tool_calls"],
    ["tool_calls", false, "stop"],
    ["function_call", false, "stop"],
    [null, false, "stop"],
    ["length", false, "length"],
    ["length", true, "tool_calls"],
    ["content_filter", false, "content_filter"],
  ];
  it.each(ends)("an upstream's %s with a call: %s becomes %s", async (upstream, called, expected) => {
    const said = called ? [made(call("search"))] : [text("x")];
    const { end } = await play(new ScriptedAgent("native", [opened, ...said, ended(upstream)]));
    expect(end?.finishReason).toBe(expected);
    expect(end?.upstreamFinishReason).toBe(upstream);
  });

  it("holds text back, and gives it in one piece, where nobody reads it as it comes", async () => {
    const agent = new ScriptedAgent("native", [
      opened,
      { type: "reasoning", text: "Hm" },
      text("Hel"),
      text("lo"),
      ended(),
    ]);
    const { types, text: said } = await play(agent, PLAIN);
    expect(types).toEqual(["turn-start", "reasoning-delta", "text-delta", "turn-end"]);
    expect(said).toBe("Hello");
  });

  it("gives what was said so far where its stream breaks, read as it comes or not", async () => {
    const half = [opened, text("Half a "), text("sentence"), broken()];
    for (const stream of [true, false]) {
      const { text: said, failure: found } = await play(new ScriptedAgent("native", half), { stream });
      expect([said, found?.code]).toEqual(["Half a sentence", "upstream_truncated"]);
    }
  });

  it("is a failure alone where the model could not be opened", async () => {
    const { types } = await play(new ScriptedAgent("native", [broken()]));
    expect(types).toEqual(["turn-failed"]);
  });

  it("fails after its text where the stream breaks", async () => {
    const { types } = await play(new ScriptedAgent("native", [opened, text("Hal"), broken()]));
    expect(types).toEqual(["turn-start", "text-delta", "turn-failed"]);
  });

  it("fails where an attempt ends without saying how", async () => {
    const { failure: found } = await play(new ScriptedAgent("native", [opened, text("x")]));
    expect(found?.code).toBe("internal_error");
  });

  it("turns what an agent throws into a failure", async () => {
    // A script without attempts throws when it is asked.
    const request = {
      conversation: CONVERSATION,
      chosen: { agent: new ScriptedAgent("native") },
      strategy: new RetryStrategy(2),
      calls: CALLS,
    };
    const { failure: found } = await collect(pulled((take) => runTurn(request, new AbortController().signal, take)));
    expect(found?.code).toBe("internal_error");
  });

  it("asks no model once it is cancelled", async () => {
    const { failure: found } = await play(new ScriptedAgent("native"), {}, AbortSignal.abort());
    expect(found?.code).toBe("cancelled");
  });
});

describe("a turn that asks again", () => {
  it("keeps what was sent, drops what was said on the way to a call", async () => {
    const agent = new ScriptedAgent(
      "native",
      [opened, text("Let me look."), malformed, ended()],
      [opened, { type: "reasoning", text: "Hm" }, text("Sorry."), made(call("search")), ended("tool_calls")],
    );
    const { types, text: said, reasoning, end } = await play(agent);
    expect(types).toEqual([
      ...["turn-start", "text-delta", "format-issue", "attempt", "tool-call", "reasoning-delta", "turn-end"],
    ]);
    expect(said).toBe("Let me look.");
    expect(reasoning).toBe("Hm");
    expect(end).toMatchObject({ finishReason: "tool_calls", attempts: 2, retries: 0, usage: { totalTokens: 6 } });
  });

  const twice = [
    [opened, { type: "reasoning", text: "A" }, text("First."), malformed, ended()],
    [opened, { type: "reasoning", text: "B" }, text("Sec"), text("ond."), ended()],
  ] as const;

  it("never joins texts: an answer that nobody has read yet is the accepted attempt's", async () => {
    const { text: said, reasoning, end } = await play(new ScriptedAgent("native", ...twice), PLAIN);
    expect({ said, reasoning, reason: end?.finishReason }).toEqual({ said: "Second.", reasoning: "B", reason: "stop" });
  });

  it("never joins texts: where one was sent, another is a failure", async () => {
    const { text: said, reasoning, failure: found } = await play(new ScriptedAgent("native", ...twice));
    expect({ said, reasoning }).toEqual({ said: "First.", reasoning: "A" });
    expect(found).toMatchObject({
      code: "model_call_invalid",
      message: expect.stringContaining("Asked again, it made no call"),
      details: { attempts: 2, refused: [{ code: "malformed-call", arguments: "<tool_call>{x</tool_call>" }] },
    });
  });

  it("keeps what was sent, and no more, where the caller wants words rather than a failure", async () => {
    const { text: said, end } = await play(new ScriptedAgent("native", ...twice), { onInvalid: "text" });
    expect({ said, reason: end?.finishReason }).toEqual({ said: "First.", reason: "stop" });
  });

  it("gives the accepted attempt's text beside its call where nobody has read yet", async () => {
    const agent = new ScriptedAgent(
      "native",
      [opened, text("Let me look."), malformed, ended()],
      [opened, text("Sorry."), made(call("search")), ended("tool_calls")],
    );
    const { text: said, calls } = await play(agent, PLAIN);
    expect(said).toBe("Sorry.");
    expect(calls).toHaveLength(1);
  });

  it("sends no text behind a call that could not be read, so that the next attempt may still speak", async () => {
    const agent = new ScriptedAgent(
      "native",
      [opened, malformed, text("Let me know!"), ended()],
      [opened, text("It is noon."), ended()],
    );
    expect((await play(agent)).text).toBe("It is noon.");
  });

  it("shows the model what it said and what was wrong", async () => {
    const agent = new ScriptedAgent(
      "text",
      [opened, text("Look: "), malformed, ended()],
      [opened, text("ok"), ended()],
    );
    await play(agent, PLAIN);
    const [, assistant, user] = agent.asked[1]?.messages ?? [];
    expect(assistant).toEqual({ role: "assistant", content: "Look: <tool_call>{x</tool_call>" });
    expect(user?.role).toBe("user");
  });

  it("never asks twice for what it may ask once: the budget spent, the turn fails", async () => {
    const failing = [opened, malformed, ended()];
    const { types, text: said, failure: found } = await play(new ScriptedAgent("native", failing, failing, failing));
    expect(types.at(-1)).toBe("turn-failed");
    expect(said).toBe("");
    expect(found).toMatchObject({ code: "model_call_invalid", details: { attempts: 3 } });
  });

  it("still shows the last attempt's text where nobody has read yet and the turn fails", async () => {
    const failing = [opened, text("Let me see."), malformed, ended()];
    const { text: said, failure: found } = await play(new ScriptedAgent("native", failing, failing, failing), PLAIN);
    expect([said, found?.code]).toEqual(["Let me see.", "model_call_invalid"]);
  });

  it.each([true, false])(
    "gives the last attempt's own words, in order, where it should (stream: %s)",
    async (stream) => {
      const failing = [opened, malformed, ended()];
      const last: AttemptEvent = { type: "issue", issue: issue("unknown-tool", { raw: "<tool_call>last" }) };
      const stray: AttemptEvent = { type: "issue", issue: issue("stray-mark", { raw: "</think>" }) };
      const words = [opened, text("One "), stray, malformed, text(" two "), last, text(" three"), ended()];
      const agent = new ScriptedAgent("native", failing, failing, words);
      const { text: said, issues, end } = await play(agent, { stream, onInvalid: "text" });
      expect(said).toBe("One <tool_call>{x</tool_call> two <tool_call>last three");
      expect(issues).toHaveLength(5);
      expect(end).toMatchObject({ finishReason: "stop", attempts: 3 });
    },
  );

  it("hands structured calls on as they came where it should", async () => {
    const found = issue("invalid-arguments", { callId: "c1", raw: 'search({"q":)' });
    const refused: AttemptEvent = {
      type: "refused",
      refused: { issue: found, id: "c1", name: "search", arguments: '{"q":' },
    };
    const failing = [opened, refused, ended("tool_calls")];
    const agent = new ScriptedAgent("native", failing, failing, failing);
    const { calls, text: said, end } = await play(agent, { onInvalid: "pass" });
    expect(calls).toMatchObject([{ id: "c1", name: "search", arguments: '{"q":', origin: "native", repairs: [] }]);
    expect([said, end?.finishReason]).toEqual(["", "tool_calls"]);
  });

  it("shows no mark of a call that the token limit cut, and does not ask again", async () => {
    const cut: AttemptEvent = { type: "issue", issue: issue("truncated-call", { raw: "<tool_call>{" }) };
    const events = [opened, text("So: "), cut, ended("length")];
    const { text: said, end } = await play(new ScriptedAgent("native", events));
    expect([said, end?.finishReason]).toEqual(["So: ", "length"]);
    const words = await play(new ScriptedAgent("native", events), { onInvalid: "text" });
    expect([words.text, words.end?.finishReason]).toEqual(["So: <tool_call>{", "length"]);
  });

  it("never shows a stray mark as content", async () => {
    const stray: AttemptEvent = {
      type: "issue",
      issue: issue("stray-mark", { raw: "</think>" }),
    };
    const agent = new ScriptedAgent("native", [opened, stray, ended()], [opened, stray, ended()]);
    expect((await play(agent)).text).toBe("");
  });

  it("fails for good where the second attempt fails", async () => {
    const { types } = await play(new ScriptedAgent("native", [opened, text("A"), malformed, ended()], [broken()]));
    expect(types).toEqual(["turn-start", "text-delta", "format-issue", "turn-failed"]);
  });

  it("says so where an attempt did not tell its usage", async () => {
    const silent: AttemptEvent = { type: "end", finishReason: "stop" };
    const agent = new ScriptedAgent("native", [opened, malformed, silent], [opened, text("x"), ended()]);
    expect((await play(agent)).end).toMatchObject({ usagePartial: true, usage: { totalTokens: 3 } });
  });
});

describe("what the request demands of calls", () => {
  it("lets one call leave where parallel calls are off", async () => {
    const agent = new ScriptedAgent("native", [opened, made(call("search")), made(call("open")), ended("tool_calls")]);
    const { calls, issues } = await play(agent, { parallelToolCalls: false });
    expect(calls.map(({ name }) => name)).toEqual(["search"]);
    expect(issues.map(({ code }) => code)).toEqual(["ambiguous-call"]);
  });

  it("asks again where a required call is missing, and keeps the text", async () => {
    const agent = new ScriptedAgent("native", [opened, text("No."), ended()], [opened, made(call("search")), ended()]);
    const { calls, issues, text: said } = await play(agent, { toolChoice: { type: "required" } });
    expect(calls).toHaveLength(1);
    expect(issues.map(({ code }) => code)).toEqual(["missing-call"]);
    expect(said).toBe("No.");
  });

  it("asks again where another tool than the named one is called, under the call's id", async () => {
    const agent = new ScriptedAgent(
      "native",
      [opened, made(call("open")), ended()],
      [opened, made(call("search")), ended()],
    );
    const { calls, issues } = await play(agent, { toolChoice: { type: "tool", name: "search" } });
    expect(calls.map(({ name }) => name)).toEqual(["search"]);
    expect(issues).toEqual([expect.objectContaining({ code: "missing-call", tool: "search" })]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "id_open" });
  });

  it.each([true, false])("fails where the call never comes, and joins no prose (stream: %s)", async (stream) => {
    const prose = [opened, text("I would rather not."), ended()];
    const { text: said, failure: found } = await play(new ScriptedAgent("native", prose, prose, prose), {
      toolChoice: { type: "tool", name: "search" },
      stream,
    });
    expect(said).toBe("I would rather not.");
    expect(found).toMatchObject({ code: "model_call_invalid", details: { refused: [{ name: "search" }, {}, {}] } });
  });

  it("reports one missing call where the call itself could not be read", async () => {
    const failing = [opened, malformed, ended()];
    const { issues, failure: found } = await play(new ScriptedAgent("native", failing, failing, failing), {
      toolChoice: { type: "required" },
    });
    expect(issues.map(({ code }) => code)).toEqual(["malformed-call", "malformed-call", "malformed-call"]);
    expect(found?.code).toBe("model_call_invalid");
  });
});

describe("an answer that a schema binds", () => {
  it("leaves whole and normalised, in one piece", async () => {
    const agent = new ScriptedAgent("native", [opened, text("```json\n{'a'"), text(": 1}\n```"), ended()]);
    const { events } = await play(agent, JSON_OUTPUT);
    const deltas = events.filter((event) => event.type === "text-delta");
    expect(deltas).toHaveLength(1);
    expect(JSON.parse(deltas[0]?.text ?? "")).toEqual({ a: 1 });
  });

  it("keeps upstream fields, but no log-probabilities of characters that may be gone", async () => {
    const extra = [{ level: "choice", fields: { logprobs: [1], seen: true } }] as const;
    const agent = new ScriptedAgent("native", [opened, { type: "text", text: '{"a":1}', extra }, ended()]);
    expect((await play(agent, JSON_OUTPUT)).extra).toEqual([{ level: "choice", fields: { seen: true } }]);
  });

  it("is asked again without tools, and the wrong answer is not shown", async () => {
    const agent = new ScriptedAgent("native", [opened, text("Sure!"), ended()], [opened, text('{"a":1}'), ended()]);
    const { text: said, issues } = await play(agent, JSON_OUTPUT);
    expect(said).toBe('{"a":1}');
    expect(issues).toHaveLength(1);
    expect(agent.asked[1]?.toolChoice).toEqual({ type: "none" });
  });

  const wrong = [opened, text("Sure!"), ended()];

  it("is a failure where it never gets its form", async () => {
    const { text: said, failure: found } = await play(new ScriptedAgent("native", wrong, wrong, wrong), JSON_OUTPUT);
    expect(said).toBe("");
    expect(found).toMatchObject({ code: "model_output_invalid", details: { attempts: 3, retriesSpent: true } });
  });

  it("is the last attempt's words where it never gets its form and they are wanted", async () => {
    const agent = new ScriptedAgent("native", wrong, wrong, wrong);
    const { text: said, end } = await play(agent, { ...JSON_OUTPUT, onInvalid: "text" });
    expect([said, end?.finishReason]).toEqual(["Sure!", "stop"]);
  });

  it("stays cut where the token limit cut it", async () => {
    const agent = new ScriptedAgent("native", [opened, text('{"a": '), ended("length")]);
    const { text: said, end } = await play(agent, JSON_OUTPUT);
    expect([said, end?.finishReason]).toEqual(['{"a": ', "length"]);
  });

  it("is no text beside a call", async () => {
    const agent = new ScriptedAgent("native", [
      opened,
      text("Let me look."),
      made(call("search")),
      ended("tool_calls"),
    ]);
    const { types, text: said, issues } = await play(agent, JSON_OUTPUT);
    expect(types).toEqual(["turn-start", "tool-call", "turn-end"]);
    expect(said).toBe("");
    expect(issues).toEqual([]);
  });
});

describe("an upstream that refuses tools", () => {
  const refused: AttemptEvent = {
    type: "failed",
    failure: createFailure("upstream_refused", "No tools.", { toolsRefused: true }),
  };

  it("is asked in text within the same turn", async () => {
    const native = new ScriptedAgent("native", [refused]);
    const inText = new ScriptedAgent("text", [opened, made(call("search")), ended()]);
    const chosen = routesOf(native, inText);
    const request = { conversation: CONVERSATION, chosen, strategy: new RetryStrategy(2), calls: CALLS };
    const { toolMode, calls, end } = await collect(
      pulled((take) => runTurn(request, new AbortController().signal, take)),
    );
    expect(toolMode).toBe("text");
    expect(calls).toHaveLength(1);
    expect(end).toMatchObject({ attempts: 1, retries: 1 });
  });

  it("passes the refusal on where the mode is pinned", async () => {
    expect((await play(new ScriptedAgent("native", [refused]))).failure?.code).toBe("upstream_refused");
  });
});
