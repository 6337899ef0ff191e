import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { readMessages } from "../../../../../src/server/apis/chatCompletions/readMessages.ts";
import { runsOf } from "../../../../support/sample.ts";

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

async function readOrRefused(values: readonly object[]): Promise<unknown> {
  try {
    return await readMessages(values);
  } catch (error) {
    return error;
  }
}

describe("readMessages: a message of a request", () => {
  it.each([
    [{ content: null }, "I will not."],
    [{ content: "" }, "I will not."],
    [{}, "I will not."],
    [{ content: "So far." }, "So far.\n\nI will not."],
    [
      { content: [{ type: "text", text: "So far." }] },
      [
        { type: "text", text: "So far." },
        { type: "text", text: "I will not." },
      ],
    ],
  ])("of an assistant that declined (%j) has the refusal as its text", async (said, content) => {
    const values = [{ role: "assistant", refusal: "I will not.", annotations: ["a"], ...said }];
    expect(await readMessages(values)).toMatchObject([{ content, extra: { annotations: ["a"] } }]);
    expect(JSON.stringify(await readMessages(values))).not.toContain("refusal");
  });

  it("has no word more where nothing was declined, or where somebody else says so", async () => {
    const values = [
      { role: "assistant", content: "Yes.", refusal: null },
      { role: "assistant", content: "Yes.", refusal: "" },
      { role: "user", content: "Yes.", refusal: "I will not." },
    ];
    expect((await readMessages(values)).map(({ content }) => content)).toEqual(["Yes.", "Yes.", "Yes."]);
  });

  it("refuses more than 8,192 content parts, and names the message", async () => {
    const parts = (length: number) => Array.from({ length }, () => ({ type: "text", text: "a" }));
    await expect(readMessages([{ role: "user", content: parts(8_192) }])).resolves.toHaveLength(1);
    const tooMany = readMessages([
      { role: "user", content: "a" },
      { role: "user", content: parts(8_193) },
    ]);
    await expect(tooMany).rejects.toThrow("`messages[1].content` has 8193 parts; at most 8192 are read.");
  });

  it("says the same where a member of nothing stands beside the others", async () => {
    const property = fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), async (messages) => {
      // A member of nothing says nothing, and is none of the gateway's.
      const others = messages.map((message) => ({ ...message, unheard: null }));
      expect(await readOrRefused(messages)).toEqual(await readOrRefused(others));
    });
    await fc.assert(property, { numRuns: runsOf(1_000) });
  });
});
