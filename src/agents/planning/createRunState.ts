// Creates the initial state of a run; planning fills in the rest. Pure.
import type { ChatRequest } from "../../core/requests.ts";
import type { RunState } from "../../core/runs/RunState.ts";

/** @param agent the agent's id; empty for none. */
export function createRunState(
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
