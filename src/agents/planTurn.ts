// A run before its first step, of which nothing is known but what is asked: all of it for a chat completion, the beginning of an agent's. Pure.
import type { ChatRequest } from "../core/requests.ts";
import type { RunState } from "../core/run.ts";

/** True where words alone are an answer, and none of them leaves before the answer's end. */
export function mayBePlain({ stream, output, sampling, toolChoice, allowedTools }: ChatRequest): boolean {
  if (stream || output.type !== "text" || sampling.stop || allowedTools) return false;
  return toolChoice.type === "auto" || toolChoice.type === "none";
}

/** @param agent empty for none. */
export function newRun(
  request: ChatRequest,
  agent: string,
  messages: ChatRequest["messages"],
): Omit<RunState, "maxTurns"> {
  return {
    id: request.id,
    agent,
    interactive: false,
    request,
    gatewayTools: [],
    messages,
    turn: 0,
    tokens: 0,
    executed: [],
    sentText: false,
  };
}
