import { describe, expect, it } from "@jest/globals";
import { opensReasoning } from "../../../../src/formats/channels/ReasoningReader.ts";

describe("reasoningOpenedBy", () => {
  it.each([
    "<|im_start|>assistant\n<think>\n",
    "<｜Assistant｜><think>",
    "[THINK]",
    "<seed:think>",
    "<think:high>",
    "<|channel>thought\n",
    "<|start|>assistant<|channel|>analysis<|message|>",
    "<think></think>\n<think>",
  ])("sees that %j leaves a block open", (prompt) => {
    expect(opensReasoning(prompt)).toBe(true);
  });

  it.each([
    "",
    "[/INST]",
    "<|im_start|>assistant\n",
    "<think>\n\n</think>\n\n",
    "<｜Assistant｜></think>",
    "<|turn>model\n<|channel>thought\n<channel|>",
    "<seed:think></seed:think>",
    '<|open|>message role="assistant"<|sep|><|open|>response<|sep|>',
  ])("sees that %j leaves none open", (prompt) => {
    expect(opensReasoning(prompt)).toBe(false);
  });
});
