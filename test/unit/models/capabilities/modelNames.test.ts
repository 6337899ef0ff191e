// One model under the names that hosts, registries and quantisers give it.
import { describe, expect, it } from "@jest/globals";
import { nameForms } from "../../../../src/models/capabilities/modelNames.ts";

describe("nameForms", () => {
  it.each([
    ["Qwen/Qwen3-8B", "qwen3-8b"],
    ["qwen3:8b", "qwen3"],
    ["deepseek/deepseek-chat-v3-0324:free", "deepseek-chat-v3"],
    ["hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "llama-3.2-3b-instruct"],
    ["models/gemini-2.0-flash", "gemini-2.0-flash"],
    ["Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b-instruct"],
    ["Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "meta-llama-3.1-70b-instruct"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["claude-3-5-sonnet-20240620", "claude-3-5-sonnet"],
    ["claude-3-5-sonnet@20240620", "claude-3-5-sonnet"],
    ["us.anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-3-5-sonnet"],
    ["accounts/fireworks/models/deepseek-v3", "deepseek-v3"],
    ["/models/Qwen3-8B-UD-Q4_K_XL.gguf", "qwen3-8b"],
    ["glm-4-9b-chat-q4_k_m", "glm-4-9b-chat"],
    ["gpt-4-0613", "gpt-4"],
    ["mistral-large-latest", "mistral-large"],
    ["gpt-4.1", "gpt-4.1"],
    ["phi-4", "phi-4"],
  ])("of %s end in %s", (given, last) => {
    const forms = nameForms(given);
    expect(forms[0]).toBe(given.toLowerCase());
    expect(forms.at(-1)).toBe(last);
    expect(new Set(forms).size).toBe(forms.length);
  });

  it.each(["", "/", ":", "a/", "/a", "-fp8", "x".repeat(100_000), "/".repeat(10_000)])("survive %#", (given) => {
    expect(nameForms(given).length).toBeGreaterThan(0);
    expect(nameForms(given).every((form) => form.length <= 256)).toBe(true);
  });
});
