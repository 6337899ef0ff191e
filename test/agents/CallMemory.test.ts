// What is put back, to whom, and for how long.
import { describe, expect, it } from "@jest/globals";
import { CallMemory, type MemoryScope } from "../../src/agents/CallMemory.ts";
import type { JsonObject, Message, ToolCall } from "../../src/core/messages.ts";
import { fakeClock } from "../network/fakeClock.ts";

const HOUR = 3_600_000;
const SCOPE: MemoryScope = { caller: "alice", model: "m" };
const USER: Message = { role: "user", content: "How is the tide?" };

function call(id: string, extra?: JsonObject, text = '{"port": "Hull", "day": 1}'): ToolCall {
  return { id, name: "tide", arguments: text, origin: "native", repairs: [], raw: "", ...(extra && { extra }) };
}

function said(...toolCalls: readonly ToolCall[]): Message {
  return { role: "assistant", content: null, toolCalls };
}

function recalled(memory: CallMemory, message: Message, scope = SCOPE, before = USER): Message | undefined {
  return memory.recall(scope, [before, message])[1];
}

describe("CallMemory", () => {
  it("puts back what a call and its message said, once each, however the client writes the arguments", () => {
    const memory = new CallMemory(fakeClock());
    const message = { ...said(call("a", { sig: 1 }), call("b")), extra: { details: [1] }, reasoning: "hm" };
    memory.remember(SCOPE, [USER], message);
    const again = said(call("a", undefined, '{"day":1,"port":"Hull"}'));
    expect(recalled(memory, again)).toMatchObject({
      extra: { details: [1] },
      reasoning: "hm",
      toolCalls: [{ extra: { sig: 1 } }],
    });
    expect(recalled(memory, said(call("b")))).toMatchObject({ extra: undefined, reasoning: undefined });
  });

  it("leaves what the client wrote itself as it wrote it", () => {
    const memory = new CallMemory(fakeClock());
    memory.remember(SCOPE, [USER], {
      ...said(call("a", { sig: 1, more: 2 })),
      extra: { details: [1] },
      reasoning: "hm",
    });
    const own = {
      ...said(call("a", { sig: 9 })),
      extra: { details: [9] },
      reasoning: "mine",
      reasoningField: "reasoning",
    };
    expect(recalled(memory, own)).toMatchObject({ ...own, toolCalls: [{ extra: { sig: 9, more: 2 } }] });
  });

  it.each([
    ["another caller", { ...SCOPE, caller: "bob" }, "a", USER],
    ["a caller without a key", { model: "m" }, "a", USER],
    ["another model", { ...SCOPE, model: "n" }, "a", USER],
    ["another id", SCOPE, "b", USER],
    ["another conversation, whose upstream numbers its calls alike", SCOPE, "a", { ...USER, content: "And at Goole?" }],
  ])("knows nothing for %s", (_, scope, id, user) => {
    const memory = new CallMemory(fakeClock());
    memory.remember(SCOPE, [USER], said(call("a", { sig: 1 })));
    expect(JSON.stringify(recalled(memory, said(call(id)), scope, user as Message))).not.toContain("sig");
  });

  it("forgets an hour after the last use", () => {
    const clock = fakeClock();
    const memory = new CallMemory(clock);
    memory.remember(SCOPE, [USER], said(call("a", { sig: 1 })));
    for (const wait of [HOUR - 1, HOUR - 1]) {
      clock.advance(wait);
      expect(recalled(memory, said(call("a")))).toMatchObject({ toolCalls: [{ extra: { sig: 1 } }] });
    }
    clock.advance(HOUR);
    expect(recalled(memory, said(call("a")))?.toolCalls?.[0]?.extra).toBeUndefined();
  });

  it("holds a bounded number of entries and of characters, and drops the oldest first", () => {
    const memory = new CallMemory(fakeClock());
    for (let n = 0; n <= 4_096; n++) memory.remember(SCOPE, [USER], said(call(`c${n}`, { sig: n })));
    const kept = (id: string) => recalled(memory, said(call(id)))?.toolCalls?.[0]?.extra !== undefined;
    expect([kept("c0"), kept("c1"), kept("c4096")]).toEqual([false, true, true]);
    const big = "x".repeat(5_000_000);
    memory.remember(SCOPE, [USER], said(call("big1", { big })));
    memory.remember(SCOPE, [USER], said(call("big2", { big })));
    expect([kept("c1"), kept("big1"), kept("big2")]).toEqual([false, false, true]);
    memory.remember(SCOPE, [USER], said(call("huge", { big: big + big })));
    expect([kept("big2"), kept("huge")]).toEqual([true, false]);
  });
});
