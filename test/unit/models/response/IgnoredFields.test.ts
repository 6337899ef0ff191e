// What an upstream took and did not heed, by what it said itself.
import { describe, expect, it } from "@jest/globals";
import type { ModelEvent, Usage } from "../../../../src/core/events/events.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import type { Sampling } from "../../../../src/core/requests.ts";
import { IgnoredFields } from "../../../../src/models/response/IgnoredFields.ts";

const usage = (completionTokens: number): Usage => ({
  promptTokens: 1,
  completionTokens,
  totalTokens: 1 + completionTokens,
});
const end = (tokens?: number): ModelEvent => ({
  type: "end",
  finishReason: "stop",
  ...(tokens !== undefined && { usage: usage(tokens) }),
});
const word: ModelEvent = { type: "text", text: "tide" };
const withLogprobs: ModelEvent = { ...word, extra: [{ level: "choice", fields: { logprobs: { content: [] } } }] };

function named(asked: { passthrough?: JsonObject; sampling?: Sampling }, ...events: readonly ModelEvent[]) {
  const fields = new IgnoredFields({ passthrough: {}, sampling: {}, ...asked });
  const [last] = events.flatMap((event) => fields.push([event])).slice(-1);
  return last?.type === "end" ? last.mended : undefined;
}

describe("an answer's end", () => {
  const logprobs = { passthrough: { logprobs: true } };

  it("names log-probabilities that were asked for and never came beside words", () => {
    expect(named(logprobs, word, end())).toEqual(["logprobs"]);
    expect(named(logprobs, word, withLogprobs, end())).toBeUndefined();
    expect(named(logprobs, end())).toBeUndefined();
    expect(named({}, word, end())).toBeUndefined();
  });

  it("names the limit of tokens that the upstream's own count is beyond, in the caller's spelling", () => {
    expect(named({ sampling: { maxTokens: 4 } }, word, end(5))).toEqual(["max_tokens"]);
    expect(named({ sampling: { maxCompletionTokens: 4 } }, word, end(5))).toEqual(["max_completion_tokens"]);
    expect(named({ sampling: { maxTokens: 4 } }, word, end(4))).toBeUndefined();
    expect(named({ sampling: { maxTokens: 4 } }, word, end())).toBeUndefined();
  });
});
