// The ways in which the live tests ask a model: the bare server, or the gateway with a row of the operator's. Data only.
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";

export interface Way {
  readonly name: string;
  /** Absent: no gateway. Empty: what the shipped rows say. */
  readonly row?: Omit<ModelProfile, "match" | "why">;
  readonly body?: { readonly tool_choice: "required" };
  /** Whether `/v1/agent` is asked, too. */
  readonly agent: boolean;
}

const TEXT_FORMS = [
  "react-text",
  "hermes-json",
  "llama3-json",
  "mistral-array",
  "gemini-tool-code",
  "llama-pythonic",
  "anthropic-xml",
  "qwen3-xml",
  "functiongemma",
];

const required = { tool_choice: "required" } as const;

export const WAYS: readonly Way[] = [
  { name: "bare server", agent: false },
  { name: "as shipped", row: {}, agent: true },
  { name: "native", row: { tools: "native" }, agent: true },
  ...TEXT_FORMS.map((emulate): Way => ({ name: emulate, row: { tools: "text", emulate }, agent: true })),
  { name: "required", row: { tools: "text" }, body: required, agent: false },
  { name: "required, constrained", row: { tools: "text", jsonSchema: "native" }, body: required, agent: false },
];
