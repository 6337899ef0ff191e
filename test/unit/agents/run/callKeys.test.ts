import { describe, expect, it } from "@jest/globals";
import { countCircle, countRepeats } from "../../../../src/agents/run/detectRepeats.ts";
import type { Message, ToolCall } from "../../../../src/core/messages.ts";
import { CallKeys } from "../../../../src/core/runs/callKey.ts";

describe("the keys of a run's calls", () => {
  it("are made once, however often its turns are compared", () => {
    let read = 0;
    const call = (at: number): ToolCall => ({
      ...{ id: `c${at}`, name: "f", origin: "native", raw: "", repairs: [] },
      get arguments() {
        read += 1;
        return `{"n": ${at % 2}}`;
      },
    });
    const messages: Message[] = [];
    const keys = new CallKeys();
    for (let at = 0; at < 40; at += 1) {
      messages.push({ role: "assistant", content: null, toolCalls: [call(at)] });
      messages.push({ role: "tool", content: "x", toolCallId: `c${at}` });
      countRepeats(messages, keys);
      countCircle(messages, keys);
    }
    expect(read).toBe(40);
    expect([countRepeats(messages, keys), countCircle(messages, keys)]).toEqual([1, 7]);
  });
});
