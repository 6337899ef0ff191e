// A run before its first step, of which nothing is known but what is asked: all of it for a chat completion, the beginning of an agent's. Pure.
import type { ChatRequest } from "../core/requests.ts";
import type { RunState } from "../core/run.ts";

/** A chat completion: a run of no agent and one turn, whose calls are the client's. */
export function planTurn(request: ChatRequest): RunState {
  return { ...newRun(request, "", request.messages), maxTurns: 1 };
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
