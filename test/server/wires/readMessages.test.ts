import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { readMessages } from "../../../src/server/wires/chatCompletions/readMessages.ts";

const words = fc.constantFrom("", " ", "Go on.", "\ud800", "{}");
const content = fc.oneof(
  words,
  fc.constant(null),
  fc.constant(undefined),
  fc.array(
    words.map((text) => ({ type: "text", text })),
    { minLength: 1, maxLength: 2 },
  ),
);
const name = fc.constantFrom(undefined, null, "", "ann", "__proto__");
const role = fc.constantFrom("system", "developer", "user", "assistant", "tool", "function");
const few = fc.record({ role, content, name }, { requiredKeys: ["role", "content"] });
const many = fc.record(
  {
    role,
    content,
    name,
    reasoning: fc.constantFrom("", "Hm.", null),
    tool_call_id: fc.constant("c1"),
    tool_calls: fc.constantFrom(null, [], [{ id: "c1", function: { name: "look", arguments: "{}" } }]),
    annotations: fc.constantFrom([], null),
  },
  { requiredKeys: ["role"] },
);
const message = fc.oneof(few, many).map(sent);

/** As JSON text has it, which knows no undefined. */
function sent(message: object): object {
  return JSON.parse(JSON.stringify(message));
}

function readOrRefused(values: readonly object[]): unknown {
  try {
    return readMessages(values);
  } catch (error) {
    return error;
  }
}

describe("a message of a request", () => {
  it("that is taken as it stands says what it says when it is read member by member", () => {
    const seen = { taken: 0, read: 0 };
    const property = fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
      // A member of nothing says nothing, and is none of the house's.
      const others = messages.map((message) => ({ ...message, unheard: null }));
      const read = readOrRefused(messages);
      expect(read).toEqual(readOrRefused(others));
      if (!Array.isArray(read)) return;
      for (const [at, message] of read.entries()) seen[message === messages[at] ? "taken" : "read"] += 1;
    });
    fc.assert(property, { numRuns: 1_000 });
    expect(Math.min(seen.taken, seen.read)).toBeGreaterThan(50);
  });

  it("is not copied where it is a role and a content", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "hi" }], name: "ann" },
      { role: "assistant", content: null },
    ];
    const read = readMessages(messages) as readonly unknown[];
    expect(messages.map((message, at) => read[at] === message)).toEqual([true, true, true]);
  });
});
