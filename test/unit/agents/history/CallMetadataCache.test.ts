// What is put back, to whom, and for how long.
import { describe, expect, it } from "@jest/globals";
import { type CacheScope, CallMetadataCache } from "../../../../src/agents/history/CallMetadataCache.ts";
import type { JsonObject, Message, ToolCall } from "../../../../src/core/messages.ts";
import { LOCAL_CALLER } from "../../../../src/core/requests.ts";
import { fakeClock } from "../../../support/network/fakeClock.ts";

const HOUR = 3_600_000;
const SCOPE: CacheScope = { caller: { name: "alice" }, model: "m" };
const USER: Message = { role: "user", content: "How is the tide?" };

function call(id: string, extra?: JsonObject, text = '{"port": "Hull", "day": 1}'): ToolCall {
  return { id, name: "tide", arguments: text, origin: "native", repairs: [], raw: "", ...(extra && { extra }) };
}

function said(...toolCalls: readonly ToolCall[]): Message {
  return { role: "assistant", content: null, toolCalls };
}

/** What a message has nothing of is shown as undefined. */
async function recalled(
  memory: CallMetadataCache,
  message: Message,
  scope = SCOPE,
  before = USER,
): Promise<Partial<Message>> {
  return { extra: undefined, reasoning: undefined, ...(await memory.recall(scope, [before, message]))[1] };
}

describe("CallMetadataCache", () => {
  it("puts back what a call and its message said, once each, however the client writes the arguments", async () => {
    const memory = new CallMetadataCache(fakeClock());
    const message = { ...said(call("a", { sig: 1 }), call("b")), extra: { details: [1] }, reasoning: "hm" };
    memory.store(SCOPE, [USER], message);
    const again = said(call("a", undefined, '{"day":1,"port":"Hull"}'));
    expect(await recalled(memory, again)).toMatchObject({
      extra: { details: [1] },
      reasoning: "hm",
      toolCalls: [{ extra: { sig: 1 } }],
    });
    expect(await recalled(memory, said(call("b")))).toMatchObject({ extra: undefined, reasoning: undefined });
  });

  it("gives the whole where a client kept the last piece of what was streamed", async () => {
    const memory = new CallMetadataCache(fakeClock());
    const thought = { type: "thinking", index: 0, thinking: "First the tide, then the wind.", signature: "s1g" };
    const message = { ...said(call("a")), extra: { thinking_blocks: [thought] }, reasoning: "First the tide." };
    memory.store(SCOPE, [USER], message);
    const kept = {
      ...said(call("a")),
      extra: { thinking_blocks: [{ type: "thinking", index: 0, signature: "s1g" }] },
      reasoning: " tide.",
    };
    expect(await recalled(memory, kept)).toMatchObject({
      extra: { thinking_blocks: [thought] },
      reasoning: "First the tide.",
    });
    const own = { ...kept, extra: { thinking_blocks: [{ ...thought, signature: "mine" }] }, reasoning: "Mine." };
    expect(await recalled(memory, own)).toMatchObject({ extra: own.extra, reasoning: "Mine." });
  });

  it("leaves what the client wrote itself as it wrote it", async () => {
    const memory = new CallMetadataCache(fakeClock());
    memory.store(SCOPE, [USER], {
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
    expect(await recalled(memory, own)).toMatchObject({ ...own, toolCalls: [{ extra: { sig: 9, more: 2 } }] });
  });

  it.each([
    ["another caller", { ...SCOPE, caller: { name: "bob" } }, "a", USER],
    ["a caller without a key", { ...SCOPE, caller: LOCAL_CALLER }, "a", USER],
    ["another model", { ...SCOPE, model: "n" }, "a", USER],
    ["another id", SCOPE, "b", USER],
    ["another conversation, whose upstream numbers its calls alike", SCOPE, "a", { ...USER, content: "And at Goole?" }],
  ])("knows nothing for %s", async (_, scope, id, user) => {
    const memory = new CallMetadataCache(fakeClock());
    memory.store(SCOPE, [USER], said(call("a", { sig: 1 })));
    expect(JSON.stringify(await recalled(memory, said(call(id)), scope, user as Message))).not.toContain("sig");
  });

  it("copies no message of which it knows nothing", async () => {
    const memory = new CallMetadataCache(fakeClock());
    memory.store(SCOPE, [USER], said(call("a", { sig: 1 })));
    const history = [USER, said(call("b")), { role: "tool", content: "x", toolCallId: "b" } as const, said(call("a"))];
    const back = await memory.recall(SCOPE, history);
    expect(back.map((message, at) => message === history[at])).toEqual([true, true, true, false]);
  });

  it("knows a call whose id many conversations have until the last of them is forgotten", async () => {
    const clock = fakeClock();
    const memory = new CallMetadataCache(clock);
    const users = ["one", "two"].map((content): Message => ({ ...USER, content }));
    const signatures = () =>
      Promise.all(
        users.map(
          async (user) => (await recalled(memory, said(call("call_0")), SCOPE, user)).toolCalls?.[0]?.extra?.sig,
        ),
      );
    for (const [at, user] of users.entries()) {
      clock.advance(at * (HOUR / 2));
      memory.store(SCOPE, [user], said(call("call_0", { sig: at })));
    }
    expect(await signatures()).toEqual([0, 1]);
    clock.advance(HOUR);
    memory.store(SCOPE, [users[1] ?? USER], said(call("call_0", { sig: 2 })));
    expect(await signatures()).toEqual([undefined, 2]);
  });

  it("forgets an hour after the last use", async () => {
    const clock = fakeClock();
    const memory = new CallMetadataCache(clock);
    memory.store(SCOPE, [USER], said(call("a", { sig: 1 })));
    for (const wait of [HOUR - 1, HOUR - 1]) {
      clock.advance(wait);
      expect(await recalled(memory, said(call("a")))).toMatchObject({ toolCalls: [{ extra: { sig: 1 } }] });
    }
    clock.advance(HOUR);
    expect((await recalled(memory, said(call("a"))))?.toolCalls?.[0]?.extra).toBeUndefined();
  });

  it("holds a bounded number of entries and of characters, and drops the oldest first", async () => {
    const memory = new CallMetadataCache(fakeClock());
    for (let n = 0; n <= 4_096; n++) memory.store(SCOPE, [USER], said(call(`c${n}`, { sig: n })));
    const kept = async (id: string) => (await recalled(memory, said(call(id))))?.toolCalls?.[0]?.extra !== undefined;
    expect([await kept("c0"), await kept("c1"), await kept("c4096")]).toEqual([false, true, true]);
    const big = "x".repeat(5_000_000);
    memory.store(SCOPE, [USER], said(call("big1", { big })));
    memory.store(SCOPE, [USER], said(call("big2", { big })));
    expect([await kept("c1"), await kept("big1"), await kept("big2")]).toEqual([false, false, true]);
    memory.store(SCOPE, [USER], said(call("huge", { big: big + big })));
    expect([await kept("big2"), await kept("huge")]).toEqual([true, false]);
  });

  it("keeps nothing of a call that is longer than any that it was given", async () => {
    const memory = new CallMetadataCache(fakeClock());
    const long = JSON.stringify({ text: "x".repeat(1_048_577) });
    memory.store(SCOPE, [USER], said(call("a", { sig: 1 }, long), call("b", { sig: 2 })));
    const back = await recalled(memory, said(call("a", undefined, long), call("b")));
    expect(back?.toolCalls?.map(({ extra }) => extra)).toEqual([undefined, { sig: 2 }]);
  });
});
