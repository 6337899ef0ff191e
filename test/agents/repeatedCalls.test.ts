import { describe, expect, it } from "@jest/globals";
import { countRepeats } from "../../src/agents/repeatedCalls.ts";
import type { Message } from "../../src/core/messages.ts";
import { call } from "./ScriptedAgent.ts";

const result: Message = { role: "tool", content: "4", toolCallId: "x" };
function turn(...args: readonly string[]): Message {
  return { role: "assistant", content: null, toolCalls: args.map((text, index) => call("search", text, `c${index}`)) };
}

describe("countRepeats", () => {
  const cases: readonly [string, readonly Message[], number][] = [
    ["nothing yet", [], 0],
    ["a text answer repeats no call", [turn("{}"), result, { role: "assistant", content: "Done" }], 0],
    ["one call", [turn('{"a":1}')], 1],
    ["the order of keys and white space do not matter", [turn('{"a":1,"b":2}'), result, turn('{ "b": 2, "a": 1 }')], 2],
    ["other arguments start anew", [turn('{"a":1}'), result, turn('{"a":2}'), result, turn('{"a":2}')], 2],
    ["the same call twice within a turn is one turn", [turn("{}", "{}"), result, result], 1],
    ["a user in between starts anew", [turn("{}"), result, { role: "user", content: "again" }, turn("{}")], 1],
  ];
  it.each(cases)("%s", (_title, messages, expected) => {
    expect(countRepeats(messages)).toBe(expected);
  });
});
