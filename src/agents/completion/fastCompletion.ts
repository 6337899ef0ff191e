// Fast path of a chat completion whose answer is plain text. It emits the events of a normal run with less work. Any other answer goes to the normal run.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import { ExtraAccumulator } from "../../core/events/ExtraAccumulator.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { TextAccumulator } from "../../core/events/TextAccumulator.ts";
import { type ChatRequest, copyRequest } from "../../core/requests.ts";
import type { WholeAnswer } from "../../models/ModelClient.ts";
import type { Agent, AttemptEvent, AttemptStream } from "../Agent.ts";
import type { ChosenAgent } from "../AgentFactory.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";
import { repairHistory } from "../history/repairHistory.ts";
import { answerTooLong, Deadline } from "../run/Deadline.ts";
import type { RunServices } from "../run/RunServices.ts";
import { detectDroppedTools } from "../turn/detectDroppedTools.ts";
import { createTurnStart } from "../turn/runTurn.ts";
import { TurnUsage } from "../turn/TurnUsage.ts";
import type { CompletionServices } from "./ChatCompletionRun.ts";

/** The events of the run if the answer is plain text; otherwise the attempt with which the normal run begins its turn. */
export type FastCompletionResult = { readonly events: readonly RunEvent[] } | { readonly begun: StartedTurn };

/** Replaces services of a turn whose first attempt was already made. */
export type StartedTurn = Pick<CompletionServices, "factory" | "spentMs">;

type PlainServices = Pick<RunServices, "factory" | "memory" | "clock" | "answerMs">;

/**
 * Undefined if no upstream serves the model and nothing was asked.
 * @param request a request that `canUseFastPath` accepts.
 */
export async function tryFastCompletion(
  request: ChatRequest,
  { factory, memory, clock, answerMs }: PlainServices,
  signal: AbortSignal,
): Promise<FastCompletionResult | undefined> {
  const recalling = memory.recall(request, request.messages);
  const recalled = recalling instanceof Promise ? await recalling : recalling;
  const mending = repairHistory(recalled);
  const { messages, repairs } = mending instanceof Promise ? await mending : mending;
  const began = clock.monotonic();
  const deadline = new Deadline(signal);
  deadline.start(answerMs, clock, answerTooLong(answerMs));
  try {
    const { model, pinnedToolMode, parse } = request;
    const toolsOffered = allowsToolCalls(request);
    const choosing = factory.choose(model, { pinnedToolMode, parse, toolsOffered }, deadline.signal);
    const chosen = choosing instanceof Promise ? await choosing : choosing;
    if (!chosen) return undefined;
    const { agent } = chosen;
    const conversation =
      messages === request.messages
        ? request
        : {
            ...copyRequest(request, { messages, tools: request.tools, ahead: undefined }),
            quotable: { messages: recalled },
          };
    const telling = agent.whole
      ? await agent.whole(conversation, deadline.signal)
      : (take: EventSink<AttemptEvent>) => agent.attempt(conversation, deadline.signal, take);
    const isTold = typeof telling === "function";
    const made = isTold ? await madeAttempt(telling) : undefined;
    const words = isTold ? made && readAttemptText(made) : telling;
    const events = words && plainEvents(words, { conversation, agent, repairs });
    if (events) return { events };
    const begun = withAttempt(chosen, made ?? { events: words ? [words.opened, words.said, words.end] : [] });
    return { begun: { factory: { choose: () => begun }, spentMs: clock.monotonic() - began } };
  } finally {
    deadline.stop();
  }
}

/** A finished attempt: its events, and the error that it threw. */
interface MadeAttempt {
  readonly events: readonly AttemptEvent[];
  readonly thrown?: { readonly error: unknown };
}

async function madeAttempt(tell: AttemptStream): Promise<MadeAttempt> {
  const heard = new EventFold();
  try {
    await tell((events) => {
      for (const event of events) heard.add(event);
      return undefined;
    });
    return { events: heard.take() };
  } catch (error) {
    return { events: heard.take(), thrown: { error } };
  }
}

/** Collects events and joins consecutive text or reasoning deltas, so that memory grows with the text and not with the number of deltas. */
class EventFold {
  readonly #events: AttemptEvent[] = [];
  readonly #text = new TextAccumulator();
  readonly #extra = new ExtraAccumulator();
  #of: "text" | "reasoning" | undefined;

  add(event: AttemptEvent): void {
    const of = event.type === "text" || event.type === "reasoning" ? event.type : undefined;
    if (of !== this.#of) this.#close();
    this.#of = of;
    if (event.type === "text") this.#extra.add(event.extra);
    if (event.type === "text" || event.type === "reasoning") this.#text.add(event.text);
    else this.#events.push(event);
  }

  take(): readonly AttemptEvent[] {
    this.#close();
    return this.#events;
  }

  #close(): void {
    const { text } = this.#text;
    const extra = this.#extra.take();
    this.#text.clear();
    if (this.#of === "reasoning") this.#events.push({ type: "reasoning", text });
    if (this.#of === "text") this.#events.push({ type: "text", text, ...(extra.length > 0 && { extra }) });
  }
}

function readAttemptText({ events, thrown }: MadeAttempt): WholeAnswer | undefined {
  const [opened, said, end] = events;
  if (thrown || events.length !== 3 || opened?.type !== "opened" || said?.type !== "text" || end?.type !== "end")
    return undefined;
  return { opened, said, end };
}

interface Answered {
  readonly conversation: ChatRequest;
  readonly agent: Agent;
  /** Repairs of the history. */
  readonly repairs: readonly string[];
}

/** All events of the run; undefined if the text is blank, the usage is missing, or the upstream may have dropped the tools. */
function plainEvents(
  { opened, said, end }: WholeAnswer,
  { conversation, agent, repairs }: Answered,
): readonly RunEvent[] | undefined {
  if (!end.usage || said.text.trim() === "" || detectDroppedTools(end, conversation)) return undefined;
  const { text, extra } = said;
  const turnUsage = new TurnUsage();
  turnUsage.opened(opened);
  turnUsage.ended(end);
  return [
    { type: "run-start", runId: conversation.id },
    createTurnStart(agent, opened, repairs),
    extra ? { type: "text-delta", text, extra } : { type: "text-delta", text },
    turnUsage.end(end.finishReason, false),
    { type: "run-end", outcome: "answered", turns: 1, spent: { tokens: end.usage.totalTokens, calls: 0 } },
  ];
}

/** Number of events that are emitted in one event-loop tick. */
const EVENTS_A_TURN = 256;

/** The chosen agent, with its first attempt replaced by the finished one. */
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
      const { events, thrown } = untold;
      untold = undefined;
      for (let at = 0; at < events.length; at += EVENTS_A_TURN) {
        if (at > 0) await yieldToEventLoop();
        if ((await take(events.slice(at, at + EVENTS_A_TURN))) === "enough") return;
      }
      if (thrown) throw thrown.error;
    },
  };
}
