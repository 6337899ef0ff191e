import { describe, expect, it } from "@jest/globals";
import { mergeSampling } from "../../../../src/core/models/mergeSampling.ts";

describe("two sets of sampling", () => {
  it("are one in which the first counts only where the second says nothing", () => {
    const merged = mergeSampling({ temperature: 0, topP: 0.5 }, { temperature: 1, topP: undefined });
    expect(merged).toEqual({ temperature: 1, topP: 0.5 });
  });

  it("never have two limits of tokens, one of each", () => {
    expect(mergeSampling({ maxTokens: 9 }, { maxCompletionTokens: 5 })).toEqual({ maxCompletionTokens: 5 });
    expect(mergeSampling({ maxTokens: 9 }, { temperature: 1 })).toEqual({ maxTokens: 9, temperature: 1 });
  });
});
