// The shipped rows as a table: a model's name, its row, its route, who says so, and what it leaks.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { createModelProfilesSchema } from "../../../../src/config/models/modelProfiles.ts";
import { ModelCapabilityDetector } from "../../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { QUIRKS } from "../../../../src/models/request/quirks.ts";
import { NO_EVIDENCE } from "../../../support/noEvidence.ts";

/** Any family id is known here: whether the parser has it is another test's matter. */
class AnyName extends Set<string> {
  override has(): boolean {
    return true;
  }
}

const file = new URL("../../../../config/models.yaml", import.meta.url);
const written = parse(readFileSync(file, "utf8")) as { readonly models: unknown };
const known = {
  families: new AnyName(),
  reasoningMarks: new AnyName(),
  wires: new AnyName(),
  upstreamWires: new AnyName(),
  addressFault: () => undefined,
  hostFault: () => undefined,
  commandFaults: () => [],
  saysPublic: () => true,
  isAllowEntry: () => true,
  quirks: new Set(QUIRKS.keys()),
  tools: new Set<string>(),
  parseServerUrl: () => undefined,
};
const rows = createModelProfilesSchema(known).parse(written.models);
const detector = new ModelCapabilityDetector({
  operator: [],
  shipped: rows,
  evidence: NO_EVIDENCE,
});

describe("models.yaml", () => {
  it.each([
    ["Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf", "react-text"],
    ["qwen2.5-coder:0.5b", "react-text"],
    ["qwen2.5-coder:1.5b", "hermes-json"],
  ])("asks %s in text mode for the form that was measured best: %s", (model, emulate) => {
    expect(detector.detect({ model, key: `up/${model}` }).emulate).toBe(emulate);
  });

  it.each([
    ["deepseek-v3", "deepseek-v3*", "text", "shipped", "deepseek-v3"],
    ["deepseek-chat", "deepseek-chat*", "text", "shipped", "deepseek-v3"],
    ["deepseek-ai/DeepSeek-V3", "deepseek-v3*", "text", "shipped", "deepseek-v3"],
    ["accounts/fireworks/models/deepseek-v3", "deepseek-v3*", "text", "shipped", "deepseek-v3"],
    ["deepseek/deepseek-chat-v3-0324:free", "deepseek-chat*", "text", "shipped", "deepseek-v3"],
    ["deepseek-v3.2", "deepseek-v3.2*", "native", "shipped", "deepseek-v32"],
    ["gemini-2.0-flash", "gemini-2*", "native", "shipped", "gemini-tool-code"],
    ["gemini-flash-latest", "gemini-*", "native", "shipped", "gemini-call-text"],
    ["models/gemini-2.0-flash", "gemini-2*", "native", "shipped", "gemini-tool-code"],
    ["gpt-4", "gpt-4*", "native", "shipped", "openai-echo"],
    ["gpt-4o", "gpt-4*", "native", "shipped", "openai-echo"],
    ["gpt-4o-2024-08-06", "gpt-4*", "native", "shipped", "openai-echo"],
    ["openai/gpt-oss-20b", "gpt-oss*", "native", "shipped", "harmony"],
    ["claude-3-5-sonnet", "claude-3*", "native", "shipped", "anthropic-xml"],
    ["us.anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-3*", "native", "shipped", "anthropic-xml"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4", "native", "shipped", "anthropic-xml"],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4.5*", "native", "shipped", "anthropic-xml"],
    ["us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6*", "native", "shipped", "anthropic-xml"],
    ["claude-opus-4-8", "claude-*", "native", "shipped", "anthropic-xml"],
    ["qwen3:8b", "qwen3*", "native", "shipped", "hermes-json"],
    ["Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", "qwen3-coder*", "native", "shipped", "qwen3-xml"],
    ["Qwen2.5-7B-Instruct-AWQ", "qwen2*", "native", "shipped", "hermes-json"],
    ["hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "llama-3.2*", "native", "shipped", "llama-pythonic"],
    ["llama3.1:8b", "llama3.1*", "native", "shipped", "llama3-json"],
    ["mistral-large-latest", "mistral*", "native", "shipped", "mistral-array"],
    ["google/gemma-3-27b-it", "gemma-3*", "text", "shipped", "gemini-tool-code"],
    ["moonshotai/Kimi-K2-Instruct", "kimi-k2*", "native", "shipped", "kimi-k2"],
    ["NousResearch/Hermes-3-Llama-3.1-8B", "hermes-3*", "native", "shipped", "hermes-json"],
    ["a-model-nobody-knows", "default", "native", "default", undefined],
  ] as const)("gives %s row %s, which routes it to %s (%s), leaking %s first", (model, row, tools, source, leak) => {
    const found = detector.detect({ model, key: `up/${model}` });
    expect(found).toMatchObject({ row, tools, source: { tools: source } });
    expect(found.formats[0]).toBe(leak);
  });

  it("has no pattern twice, so that no row hides another", () => {
    const patterns = rows.flatMap(({ match }) => match);
    expect(patterns.filter((pattern, at) => patterns.indexOf(pattern) !== at)).toEqual([]);
  });
});
