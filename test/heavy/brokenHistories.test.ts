import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { repairHistory } from "../../src/agents/history/repairHistory.ts";
import type { Message } from "../../src/core/messages.ts";
import { brokenHistories, unmended } from "../support/brokenHistories.ts";

describe("a hundred thousand broken histories", () => {
  it("all go up right", async () => {
    await fc.assert(
      fc.asyncProperty(brokenHistories, async (messages) => {
        expect(await unmended(messages)).toBeUndefined();
      }),
      { numRuns: 100_000 },
    );
  }, 600_000);
});

describe("a history as large as a request may be", () => {
  const arguments_: readonly [string, string][] = [
    ["one string", JSON.stringify({ text: "x".repeat(10_000_000) })],
    ["as many values as it holds", `{"a":[${"[],".repeat(3_300_000)}1]}`],
    ["as many levels", `{"a":${"[".repeat(10_000_000)}`],
    ["one number", `{"a":${"1".repeat(10_000_000)}}`],
  ];
  it.each(arguments_)("of %s goes up, whether it can be read or not", async (_title, text) => {
    const call = { id: "a", name: "f", arguments: text, origin: "native", repairs: [], raw: text };
    const history: readonly Message[] = [{ role: "assistant", content: null, toolCalls: [call] }];
    const { messages } = await repairHistory(history);
    expect(messages).toHaveLength(2);
  });
});
