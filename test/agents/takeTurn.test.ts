import { describe, expect, it } from "@jest/globals";
import type { AttemptEvent, Conversation } from "../../src/agents/Agent.ts";
import { RetryStrategy } from "../../src/agents/RetryStrategy.ts";
import { takeTurn } from "../../src/agents/takeTurn.ts";
import { collect } from "../../src/core/collect.ts";
import type { TurnEvent } from "../../src/core/events.ts";
import { failure } from "../../src/core/failures.ts";
import { broken, call, ended, issue, made, opened, ScriptedAgent, text } from "./ScriptedAgent.ts";

const CONVERSATION: Conversation = {
  id: "run",
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ name: "search" }, { name: "open" }],
  toolChoice: { type: "auto" },
  sampling: {},
  output: { type: "text" },
  passthrough: {},
};
const JSON_OUTPUT = { output: { type: "json_object" } } as const;
const malformed: AttemptEvent = { type: "issue", issue: issue("malformed-call", { raw: "<tool_call>{x</tool_call>" }) };

async function play(agent: ScriptedAgent, more: Partial<Conversation> = {}, signal = new AbortController().signal) {
  const events: TurnEvent[] = [];
  const request = { conversation: { ...CONVERSATION, ...more }, chosen: { agent }, strategy: new RetryStrategy(2) };
  for await (const event of takeTurn(request, signal)) events.push(event);
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
    };
    const { failure: found } = await collect(takeTurn(request, new AbortController().signal));
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
    expect(types).toEqual(["turn-start", "text-delta", "format-issue", "attempt", "tool-call", "turn-end"]);
    expect(said).toBe("Let me look.");
    expect(reasoning).toBe("");
    expect(end).toMatchObject({ finishReason: "tool_calls", attempts: 2, retries: 0, usage: { totalTokens: 6 } });
  });

  it("joins accepted text by a blank line to what was sent", async () => {
    const agent = new ScriptedAgent(
      "native",
      [opened, { type: "reasoning", text: "A" }, text("First."), malformed, ended()],
      [opened, { type: "reasoning", text: "B" }, text("Sec"), text("ond."), ended()],
    );
    const { text: said, reasoning } = await play(agent);
    expect(said).toBe("First.\n\nSecond.");
    expect(reasoning).toBe("A\n\nB");
  });

  it("shows the model what it said and what was wrong", async () => {
    const agent = new ScriptedAgent(
      "text",
      [opened, text("Look: "), malformed, ended()],
      [opened, text("ok"), ended()],
    );
    await play(agent);
    const [, assistant, user] = agent.asked[1]?.messages ?? [];
    expect(assistant).toEqual({ role: "assistant", content: "Look: <tool_call>{x</tool_call>" });
    expect(user?.role).toBe("user");
  });

  it("gives the last attempt's raw text where the budget is spent and nothing else was said", async () => {
    const last: AttemptEvent = { type: "issue", issue: issue("malformed-call", { raw: "<tool_call>last" }) };
    const agent = new ScriptedAgent(
      "native",
      [opened, malformed, ended()],
      [opened, malformed, ended()],
      [opened, last, ended()],
    );
    const { text: said, issues, end, failure: found } = await play(agent);
    expect(said).toBe("<tool_call>last");
    expect(issues).toHaveLength(3);
    expect(end).toMatchObject({ finishReason: "stop", attempts: 3 });
    expect(found).toBeUndefined();
  });

  it("gives no raw text where an earlier attempt's text was sent", async () => {
    const failing = [opened, malformed, ended()];
    const agent = new ScriptedAgent("native", [opened, text("Hello."), malformed, ended()], failing, failing);
    expect((await play(agent)).text).toBe("Hello.");
  });

  it("gives the raw text of a call that the token limit cut, without asking again", async () => {
    const cut: AttemptEvent = { type: "issue", issue: issue("truncated-call", { raw: "<tool_call>{" }) };
    const { text: said, end } = await play(new ScriptedAgent("native", [opened, cut, ended("length")]));
    expect(said).toBe("<tool_call>{");
    expect(end?.finishReason).toBe("length");
  });

  it("never shows a stray mark as content", async () => {
    const stray: AttemptEvent = { type: "issue", issue: issue("stray-mark", { raw: "</think>" }) };
    expect((await play(new ScriptedAgent("native", [opened, stray, ended()]))).text).toBe("");
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

  it("reports one missing call where the call itself could not be read", async () => {
    const failing = [opened, malformed, ended()];
    const { issues } = await play(new ScriptedAgent("native", failing, failing, failing), {
      toolChoice: { type: "required" },
    });
    expect(issues.map(({ code }) => code)).toEqual(["malformed-call", "malformed-call", "malformed-call"]);
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

  it("stays as it is where the budget is spent", async () => {
    const wrong = [opened, text("Sure!"), ended()];
    const { text: said, end } = await play(new ScriptedAgent("native", wrong, wrong, wrong), JSON_OUTPUT);
    expect(said).toBe("Sure!");
    expect(end?.finishReason).toBe("stop");
  });

  it("does not bind the text beside a call", async () => {
    const agent = new ScriptedAgent("native", [
      opened,
      text("Let me look."),
      made(call("search")),
      ended("tool_calls"),
    ]);
    const { types, text: said, issues } = await play(agent, JSON_OUTPUT);
    expect(types).toEqual(["turn-start", "tool-call", "text-delta", "turn-end"]);
    expect(said).toBe("Let me look.");
    expect(issues).toEqual([]);
  });
});

describe("an upstream that refuses tools", () => {
  const refused: AttemptEvent = {
    type: "failed",
    failure: failure("upstream_refused", "No tools.", { toolsRefused: true }),
  };

  it("is asked in text within the same turn", async () => {
    const native = new ScriptedAgent("native", [refused]);
    const inText = new ScriptedAgent("text", [opened, made(call("search")), ended()]);
    const reasons: string[] = [];
    const chosen = {
      agent: native,
      inTextInstead: (reason: string) => {
        reasons.push(reason);
        return inText;
      },
    };
    const request = { conversation: CONVERSATION, chosen, strategy: new RetryStrategy(2) };
    const { toolMode, calls, end } = await collect(takeTurn(request, new AbortController().signal));
    expect(reasons).toEqual(["No tools."]);
    expect(toolMode).toBe("text");
    expect(calls).toHaveLength(1);
    expect(end).toMatchObject({ attempts: 1, retries: 1 });
  });

  it("passes the refusal on where the mode is pinned", async () => {
    expect((await play(new ScriptedAgent("native", [refused]))).failure?.code).toBe("upstream_refused");
  });
});
