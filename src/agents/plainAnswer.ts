// A chat completion whose answer is words alone: asked once, and told as its run would tell it, without that run's work. Whatever else comes is the run's.
import type { ModelEnd, RunEvent } from "../core/events.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { Agent, AttemptEvent } from "./Agent.ts";
import type { ChosenAgent } from "./AgentFactory.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import { mendHistory } from "./mendHistory.ts";
import type { RunServices } from "./RunServices.ts";
import { TurnOutlet } from "./TurnOutlet.ts";
import { TurnTally } from "./TurnTally.ts";
import { turnStart } from "./takeTurn.ts";
import { toolsDropped } from "./toolsDropped.ts";

/** What the question has brought: the run's events where the answer is words alone, else the attempt that the run's turn begins with. */
export type Asked = { readonly events: readonly RunEvent[] } | { readonly begun: BegunTurn };

/** What a turn has of the question that was put before it. */
export type BegunTurn = Pick<RunServices, "factory" | "spentMs">;

type PlainServices = Pick<RunServices, "factory" | "memory" | "clock" | "answerMs">;

/**
 * Undefined where nothing was asked: the history must be mended first, or nobody serves the model.
 * @param request one of which `mayBePlain` is true.
 */
export async function plainAnswer(
  request: ChatRequest,
  { factory, memory, clock, answerMs }: PlainServices,
  signal: AbortSignal,
): Promise<Asked | undefined> {
  const messages = await memory.recall(request, request.messages);
  const { repairs } = await mendHistory(messages);
  if (repairs.length > 0) return undefined;
  const { model, pinnedToolMode, parse, tools, toolChoice } = request;
  const began = clock.monotonic();
  const deadline = new Deadline(signal);
  deadline.start(answerMs, clock, answerTooLong(answerMs));
  try {
    const toolsOffered = tools.length > 0 && toolChoice.type !== "none";
    const chosen = await factory.choose(model, { pinnedToolMode, parse, toolsOffered }, deadline.signal);
    if (!chosen) return undefined;
    const { agent } = chosen;
    const conversation = messages === request.messages ? request : { ...request, messages };
    const made = await attemptOf(agent, conversation, deadline.signal);
    const events = plainEvents(made, conversation, agent);
    if (events) return { events };
    const begun = withAttempt(chosen, made);
    return { begun: { factory: { choose: async () => begun }, spentMs: clock.monotonic() - began } };
  } finally {
    deadline.end();
  }
}

/** An attempt as it went: what it gave, in its batches, and what it threw. */
interface MadeAttempt {
  readonly batches: readonly (readonly AttemptEvent[])[];
  readonly thrown?: { readonly error: unknown };
}

async function attemptOf(agent: Agent, conversation: ChatRequest, signal: AbortSignal): Promise<MadeAttempt> {
  const batches: (readonly AttemptEvent[])[] = [];
  try {
    await agent.attempt(conversation, signal, (events) => void batches.push(events));
    return { batches };
  } catch (error) {
    return { batches, thrown: { error } };
  }
}

/** Those of the whole run; undefined where more than words came, where none can be seen, or where the tools may have been dropped. */
function plainEvents(
  { batches, thrown }: MadeAttempt,
  conversation: ChatRequest,
  agent: Agent,
): readonly RunEvent[] | undefined {
  if (thrown) return undefined;
  const events: RunEvent[] = [{ type: "run-start", runId: conversation.id }];
  const outlet = new TurnOutlet({ live: false, bound: false });
  const tally = new TurnTally();
  let end: ModelEnd | undefined;
  for (const event of batches.flat()) {
    switch (event.type) {
      case "opened":
        tally.opened(event);
        events.push(turnStart(agent, event));
        break;
      case "text":
        outlet.text(event.text, event.extra);
        break;
      case "end":
        tally.ended(event);
        end = event;
        break;
      default:
        return undefined;
    }
  }
  if (!end?.usage || outlet.heldText.trim() === "" || toolsDropped(end, conversation)) return undefined;
  events.push(...outlet.release("answer", false), tally.end(end.finishReason, false));
  events.push({ type: "run-end", outcome: "answered", turns: 1, spent: { tokens: end.usage.totalTokens, calls: 0 } });
  return events;
}

/** As it was chosen, but that its first attempt was made. */
function withAttempt(chosen: ChosenAgent, made: MadeAttempt): ChosenAgent {
  const first = chosen.agent;
  const told = tellingAttempt(first, made);
  return {
    get agent() {
      return chosen.agent === first ? told : chosen.agent;
    },
    get nextRoute() {
      return chosen.nextRoute;
    },
    onToolsDropped: chosen.onToolsDropped,
    begun: true,
  };
}

function tellingAttempt(agent: Agent, made: MadeAttempt): Agent {
  const { model, toolMode, row, emulate, onInvalid, untouched } = agent;
  let untold: MadeAttempt | undefined = made;
  return {
    ...{ model, toolMode, row, emulate, onInvalid, untouched },
    async attempt(conversation, signal, take) {
      if (!untold) return await agent.attempt(conversation, signal, take);
      const { batches, thrown } = untold;
      untold = undefined;
      for (const batch of batches) if ((await take(batch)) === "enough") return;
      if (thrown) throw thrown.error;
    },
  };
}
