// A history that is made to fit, over random conversations: what belongs together stays together, and what must stay stays.

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { measureMessages } from "../../../../src/agents/context/estimateTokens.ts";
import { trimHistory } from "../../../../src/agents/context/trimHistory.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { strictFault } from "../../../support/brokenHistories.ts";

let ids = 0;
const call = (name = "look") => {
  ids += 1;
  return { id: `c${ids}`, name, arguments: "{}", origin: "native", repairs: [], raw: "{}" };
};
const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

/** A call with a result of each of these lengths. */
function called(...lengths: readonly number[]): readonly Message[] {
  const calls = lengths.map(() => call());
  const results = calls.map(({ id, name }, at): Message => {
    return { role: "tool", toolCallId: id, name, content: "r".repeat(lengths[at] ?? 0) };
  });
  return [{ role: "assistant", content: null, toolCalls: calls }, ...results];
}

const length = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 5_000 }));
const calls = fc.array(length, { minLength: 1, maxLength: 4 }).map((lengths) => called(...lengths));
const exchange = fc
  .tuple(length, fc.array(calls, { maxLength: 4 }), fc.option(length))
  .map(([asked, turns, answer]): readonly Message[] => [
    user("u".repeat(asked + 1)),
    ...turns.flat(),
    ...(answer === null ? [] : [said("a".repeat(answer + 1))]),
  ]);
/** What a run goes up with: instructions, exchanges, and a question that is being worked on. */
const history = fc
  .tuple(fc.boolean(), fc.array(exchange, { maxLength: 6 }), length, fc.array(calls, { maxLength: 8 }))
  .map(([instructed, before, asked, turns]): readonly Message[] => [
    ...(instructed ? [{ role: "system", content: "Be kind." } as const] : []),
    ...before.flat(),
    user("q".repeat(asked + 1)),
    ...turns.flat(),
  ]);
const room = fc.record({
  chars: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 20_000 })),
  messages: fc.option(fc.integer({ min: 2, max: 30 }), { nil: undefined }),
});

/** What a note behind a shortened result may take. */
const NOTE = 200;

function check(
  property: (messages: readonly Message[], room: { chars: number; messages: number | undefined }) => unknown,
) {
  return fc.assert(
    fc.asyncProperty(history, room, async (messages, space) => {
      await property(messages, space);
    }),
    { numRuns: 500, seed: 14 },
  );
}

describe("trimHistory: a history that is made to fit", () => {
  it("never parts a call from its results, and has no result without its call", async () => {
    await check(async (messages, space) => {
      expect(strictFault(messages)).toBeUndefined();
      expect(strictFault(trimHistory(messages, space).messages)).toBeUndefined();
    });
  });

  it("keeps the instructions, the first question, the one that is worked on, and the last turn", async () => {
    await check((messages, space) => {
      const { messages: trimmed } = trimHistory(messages, space);
      const asked = messages.filter(({ role }) => role === "user");
      for (const kept of [...messages.filter(({ role }) => role === "system"), asked[0], asked.at(-1)])
        expect(trimmed).toContain(kept);
      const last = messages.at(-1);
      expect([trimmed.at(-1)?.role, trimmed.at(-1)?.toolCallId]).toEqual([last?.role, last?.toolCallId]);
    });
  });

  it("says of each message whether it was left out, and changes no word of a person or of the model", async () => {
    await check((messages, space) => {
      const { messages: trimmed, droppedCount: left } = trimHistory(messages, space);
      expect(trimmed.length + left).toBe(messages.length);
      const spoken = trimmed.filter(({ role }) => role !== "tool");
      expect(spoken.every((message) => messages.includes(message))).toBe(true);
    });
  });

  it("is no longer than there is room for, wherever what must stay and short results leave that room", async () => {
    let fitted = 0;
    await check((messages, space) => {
      const { messages: trimmed } = trimHistory(messages, space);
      const least = measureMessages(trimHistory(messages, { chars: 0 }).messages);
      if (least + NOTE > space.chars) return;
      expect(measureMessages(trimmed)).toBeLessThanOrEqual(space.chars);
      fitted += 1;
    });
    expect(fitted).toBeGreaterThan(100);
  });

  it("is the very same where it fits", async () => {
    await check((messages) => {
      expect(trimHistory(messages, { chars: measureMessages(messages) }).messages).toBe(messages);
    });
  });
});

describe("trimHistory: where a history is too long", () => {
  it("old results are shortened before anything is left out, the oldest first, and say how much is missing", () => {
    const messages = [user("q"), ...called(2_000), ...called(2_000), ...called(2_000), ...called(300)];
    const { messages: trimmed, droppedCount: left, shortened } = trimHistory(messages, { chars: 5_500 });
    expect([left, shortened.length]).toEqual([0, 1]);
    expect(trimmed[2]?.content).toMatch(/^r{400}\n.*truncated 1600 characters/);
    expect(trimmed[4]?.content).toBe("r".repeat(2_000));
  });

  it("a single result that is larger than all the room is cut within, and its call stays (HR-009)", () => {
    const messages = [user("q"), ...called(50_000)];
    const { messages: trimmed, droppedCount: left, shortened } = trimHistory(messages, { chars: 2_000 });
    expect([left, shortened.length]).toEqual([0, 1]);
    expect(String(trimmed[2]?.content).length).toBeLessThan(1_500);
    expect(trimmed[2]?.content).toMatch(/truncated \d+ characters/);
  });

  it("what can be read on in says how, by the whole result", () => {
    const [asking, result] = called(3_000);
    const id = result?.toolCallId ?? "";
    const cut = { ...(result as Message), content: "r".repeat(2_000) };
    const messages = [user("q"), asking as Message, cut, ...called(10)];
    const { messages: trimmed } = trimHistory(messages, { chars: 1_000 }, new Map([[id, "w".repeat(9_000)]]));
    expect(trimmed[2]?.content).toMatch(/^w{500}\n.*truncated 8500 characters/);
    expect(trimmed[2]?.content).toContain(JSON.stringify({ call_id: id, offset: 500 }));
  });

  it("what was shortened before counts what is missing from the beginning", () => {
    const once = trimHistory([user("q"), ...called(9_000), user("r"), ...called(10)], { chars: 4_000 }).messages;
    const twice = trimHistory(once, { chars: 700 }).messages;
    const result = twice.find(({ role }) => role === "tool")?.content;
    expect(result).toMatch(/truncated 8650 characters/);
    expect(String(result).match(/truncated/g)).toHaveLength(1);
  });

  it("the number of messages is held in whole exchanges, and instructions do not count", () => {
    const before = [user("one"), said("1"), user("two"), ...called(5), said("2"), user("three"), said("3")];
    const messages: readonly Message[] = [{ role: "system", content: "s" }, ...before, user("four")];
    const { messages: trimmed } = trimHistory(messages, { chars: Number.POSITIVE_INFINITY, messages: 6 });
    expect(trimmed.map(({ content }) => content)).toEqual(["s", "one", "1", "three", "3", "four"]);
  });
});
