// Defines the part of a model request that depends on how tools are offered.
import type { ModelRequest } from "../../models/ModelClient.ts";

/** The fields of a model request that `ToolCallingAgent` and `TextReActAgent` write differently. */
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
