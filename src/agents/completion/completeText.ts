// Fast path of a chat completion that is not streamed: an answer of text alone needs no turn. Any other answer becomes the first attempt of the turn.

import type { TurnEvent } from "../../core/events/events.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { TextAnswer } from "../../models/ModelClient.ts";
import type { Agent, AttemptStream } from "../Agent.ts";
import type { ChosenAgent } from "../AgentFactory.ts";
import { repairHistory } from "../history/repairHistory.ts";
import { detectDroppedTools } from "../turn/detectDroppedTools.ts";
import { createTurnStart } from "../turn/runTurn.ts";
import { TurnUsage } from "../turn/TurnUsage.ts";

/** Returns true if plain text is a valid answer and the client gets it only when it is complete. */
export function mayCompleteAtOnce({ stream, output, sampling, toolChoice, allowedTools }: ChatRequest): boolean {
  if (stream || output.type !== "text" || sampling.stop || allowedTools) return false;
  return toolChoice.type === "auto" || toolChoice.type === "none";
}

/**
 * Asks the model once. Returns the events of the turn if the answer is plain text; otherwise the chosen agent, whose first
 * attempt emits this answer.
 * @param conversation one that `mayCompleteAtOnce` accepts.
 */
export async function completeText(
  conversation: ChatRequest,
  chosen: ChosenAgent,
  signal: AbortSignal,
): Promise<readonly TurnEvent[] | ChosenAgent> {
  const { agent } = chosen;
  if (!agent.complete) return chosen;
  const { messages, repairs } = await repairHistory(conversation.messages);
  const quotable = { messages: conversation.messages };
  const asked = repairs.length === 0 ? conversation : { ...conversation, messages, quotable };
  const answer = await agent.complete(asked, signal);
  if (typeof answer === "function") return withFirstAttempt(chosen, answer);
  if (isComplete(answer, conversation)) return turnEvents(answer, agent, repairs);
  return withFirstAttempt(chosen, async (take) => {
    await take([answer.opened, answer.said, answer.end]);
  });
}

/** Returns false if the text is blank, the usage is missing, or the upstream may have dropped the tools. */
function isComplete({ said, end }: TextAnswer, conversation: ChatRequest): boolean {
  return end.usage !== undefined && said.text.trim() !== "" && !detectDroppedTools(end, conversation);
}

function turnEvents({ opened, said, end }: TextAnswer, agent: Agent, repairs: readonly string[]): readonly TurnEvent[] {
  const turnUsage = new TurnUsage();
  turnUsage.opened(opened);
  turnUsage.addEnd(end);
  const { text, extra } = said;
  return [
    createTurnStart(agent, opened, repairs),
    extra ? { type: "text-delta", text, extra } : { type: "text-delta", text },
    turnUsage.end(end.finishReason, false),
  ];
}

/** The chosen agent, whose first attempt emits the given events. */
function withFirstAttempt(chosen: ChosenAgent, emit: AttemptStream): ChosenAgent {
  const { agent } = chosen;
  const { model, toolMode, row, emulate, onInvalid, untouched } = agent;
  let isFirst = true;
  const first: Agent = {
    ...{ model, toolMode, row, emulate, onInvalid, untouched },
    async attempt(conversation, signal, take) {
      const isEmitted = isFirst;
      isFirst = false;
      await (isEmitted ? emit(take) : agent.attempt(conversation, signal, take));
    },
  };
  return {
    get agent() {
      return chosen.agent === agent ? first : chosen.agent;
    },
    get nextRoute() {
      return chosen.nextRoute;
    },
    onToolsDropped: chosen.onToolsDropped,
    isBegun: true,
  };
}
