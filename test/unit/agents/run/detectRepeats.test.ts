import { describe, expect, it } from "@jest/globals";
import { countCircle, countRepeats } from "../../../../src/agents/run/detectRepeats.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { call } from "../../../support/agents/ScriptedAgent.ts";

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

describe("countCircle", () => {
  /** Turns by a letter each, and what they brought; the last has brought nothing yet. */
  function circle(letters: string, brings = (letter: string, _at: number) => letter): readonly Message[] {
    const messages = [...letters].flatMap((letter, at): readonly Message[] => [
      turn(JSON.stringify({ q: letter })),
      { role: "tool", content: brings(letter, at), toolCallId: "c0" },
    ]);
    return messages.slice(0, -1);
  }
  const cases: readonly [string, readonly Message[], number][] = [
    ["nothing yet", [], 1],
    ["turns that differ", circle("abcd"), 1],
    ["two turns that come again", circle("abab"), 3],
    ["two turns in their third round", circle("ababab"), 5],
    ["three turns", circle("abcabca"), 5],
    ["four turns", circle("abcdabcd"), 5],
    ["five are no circle", circle("abcdeabcde"), 1],
    ["a way into the circle does not matter", circle("xyzababab"), 5],
    ["calls that bring something new are no circle", circle("ababab", (letter, at) => `${letter}${at}`), 2],
    [
      "the gateway's own words behind a result are nothing new",
      circle("ababab", (l, at) => (at > 2 ? `${l}\n\nAnswer.` : l)),
      5,
    ],
  ];
  it.each(cases)("%s", (_title, messages, expected) => {
    expect(countCircle(messages)).toBe(expected);
  });
});
