// A way of prompting: what a conversation becomes on its way up. Knows no upstream and no answer.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ToolMode } from "../core/messages.ts";
import type { ModelRequest } from "../models/ModelClient.ts";
import type { Conversation } from "./Agent.ts";

/** What a way of prompting decides of a model request; the rest is the same for all. */
export type Prompt = Pick<
  ModelRequest,
  | "messages"
  | "inWords"
  | "tools"
  | "toolChoice"
  | "toolsWithheld"
  | "parallelToolCalls"
  | "sampling"
  | "output"
  | "callForm"
  | "watched"
  | "lost"
>;

export interface Prompting {
  readonly toolMode: ToolMode;
  /** A promise only where much is written; it rejects with the signal's reason. */
  prompt(conversation: Conversation, capabilities: ModelCapabilities, signal: AbortSignal): Prompt | Promise<Prompt>;
}
