// A chat completion: a run of one turn whose calls are the client's, told as `runLoop` tells it, without what a further step needs. Runs no tool.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import { NO_TOOLS } from "../../core/events/emptyList.ts";
import type { RunEvent, TurnEvent } from "../../core/events/events.ts";
import { createFailure, type Failure, toFailure } from "../../core/failures.ts";
import type { Message } from "../../core/messages.ts";
import { type ChatRequest, copyRequest } from "../../core/requests.ts";
import { getOutcomeInfo, type RunOutcome } from "../../core/runs/outcomes.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";
import { createUnservedModelFailure, selectOfferedTools } from "../prompting/offeredTools.ts";
import { answerTooLong, Deadline } from "../run/Deadline.ts";
import type { RunServices } from "../run/RunServices.ts";
import { runTurn } from "../turn/runTurn.ts";
import { TurnCollector } from "../turn/TurnCollector.ts";

export interface CompletionServices
  extends Pick<RunServices, "factory" | "strategy" | "memory" | "clock" | "answerMs" | "maxClientCalls"> {
  /** Milliseconds of `answerMs` that are spent before; absent: none. */
  readonly spentMs?: number | undefined;
}

/** Who hears of it. */
interface Hearers {
  /** Hears each event of the run, before `take` has it. */
  readonly observe: (event: RunEvent) => void;
  readonly take: EventSink<TurnEvent>;
}

/** Of a run whose caller has left. */
export const RUN_CANCELLED = createFailure("cancelled", "The run was cancelled before it had an answer.");

/** True where words alone are an answer, and none of them leaves before the answer's end. */
export function canUseFastPath({ stream, output, sampling, toolChoice, allowedTools }: ChatRequest): boolean {
  if (stream || output.type !== "text" || sampling.stop || allowedTools) return false;
  return toolChoice.type === "auto" || toolChoice.type === "none";
}

export class ChatCompletionRun {
  readonly #request: ChatRequest;
  readonly #services: CompletionServices;
  readonly #signal: AbortSignal;
  readonly #hearers: Hearers;
  readonly #turnCollector: TurnCollector;
  /** True where the text waits for the turn's end, since a turn that fails has none. */
  readonly #bound: boolean;
  #messages: readonly Message[];
  #isBegun = false;
  /** True once the reader has had enough. */
  #enough = false;

  constructor(request: ChatRequest, services: CompletionServices, signal: AbortSignal, hearers: Hearers) {
    this.#request = request;
    this.#services = services;
    this.#signal = signal;
    this.#hearers = hearers;
    this.#bound = request.output.type !== "text";
    this.#turnCollector = new TurnCollector({ gateway: NONE, keepsText: this.#bound });
    this.#messages = request.messages;
  }

  /**
   * The last event that `take` gets is the one `turn-end` or `turn-failed`; whoever observes hears `run-end` behind it. Where `take` has had
   * enough before, there is neither. Throws only what `take` throws.
   */
  async events(): Promise<void> {
    let last: readonly TurnEvent[];
    try {
      await this.#turn();
      if (this.#enough) return;
      last = this.#last();
    } catch (error) {
      last = this.#broken(toFailure(error), "failed");
    }
    await this.#hearers.take(last);
  }

  async #turn(): Promise<void> {
    const { memory, answerMs, spentMs = 0, clock, factory, strategy, maxClientCalls } = this.#services;
    const recalling = memory.recall(this.#request, this.#messages);
    this.#messages = recalling instanceof Promise ? await recalling : recalling;
    const deadline = new Deadline(this.#signal);
    deadline.start(answerMs - spentMs, clock, answerTooLong(answerMs));
    try {
      const conversation = this.#conversation();
      const { model, pinnedToolMode, parse } = conversation;
      const toolsOffered = allowsToolCalls(conversation);
      const chosen = await factory.choose(model, { pinnedToolMode, parse, toolsOffered }, deadline.signal);
      const calls = { handedOver: maxClientCalls, gateway: NONE };
      if (chosen) await runTurn({ conversation, chosen, strategy, calls }, deadline.signal, this.#hear);
      else void this.#hear([createUnservedModelFailure(model)]);
    } finally {
      deadline.end();
    }
  }

  /** What the model is asked: the request itself, where nothing was recalled and no list says what is allowed. */
  #conversation(): ChatRequest {
    const request = this.#request;
    const messages = this.#messages;
    const tools = selectOfferedTools(NO_TOOLS, request);
    return messages === request.messages && tools === request.tools
      ? request
      : copyRequest(request, { messages, tools, ahead: request.ahead });
  }

  /** The turn's end waits for what follows from it. */
  readonly #hear: EventSink<TurnEvent> = (events) => {
    const { take } = this.#hearers;
    const told: TurnEvent[] = [];
    for (const event of events) {
      this.#turnCollector.add(event);
      if (event.type === "turn-end" || event.type === "turn-failed") continue;
      if (this.#bound && event.type === "text-delta") continue;
      this.#observe(event);
      told.push(event);
    }
    const said = told.length > 0 ? take(told) : undefined;
    return said instanceof Promise ? said.then((later) => this.#heard(later)) : this.#heard(said);
  };

  #heard(said: SinkSignal): SinkSignal {
    this.#enough ||= said === "enough";
    return said;
  }

  /** What is told last, now that the turn is over. */
  #last(): readonly TurnEvent[] {
    const { end, spoke, tokens } = this.#turnCollector;
    const isLeft = this.#signal.aborted;
    if (!end)
      return isLeft ? this.#broken(RUN_CANCELLED, "cancelled") : this.#broken(this.#turnCollector.failure, "failed");
    const used = { turns: 1, tokens };
    const called = this.#remember();
    // Nobody is there to make the calls.
    if (called && isLeft) return this.#broken(RUN_CANCELLED, "cancelled", used);
    const outcome = called ? "handed-over" : spoke ? "answered" : "no-answer";
    const { finishReason = end.finishReason } = getOutcomeInfo(outcome);
    const ended = finishReason === end.finishReason ? end : { ...end, finishReason };
    return this.#told(this.#bound ? [...this.#heldText(), ended] : [ended], outcome, used);
  }

  /** True where there are calls, which the client may send back without what the model said beside them. */
  #remember(): boolean {
    const { clientCalls } = this.#turnCollector.calls();
    if (clientCalls.length === 0) return false;
    this.#services.memory.remember(this.#request, this.#messages, this.#turnCollector.message());
    return true;
  }

  #heldText(): readonly TurnEvent[] {
    const { text, extra } = this.#turnCollector;
    if (text === "" && extra.length === 0) return [];
    return [{ type: "text-delta", text, ...(extra.length > 0 && { extra }) }];
  }

  #broken(why: Failure, outcome: RunOutcome, used: Used = NOTHING): readonly TurnEvent[] {
    return this.#told([{ type: "turn-failed", failure: why }], outcome, used);
  }

  #told(events: readonly TurnEvent[], outcome: RunOutcome, { turns, tokens }: Used): readonly TurnEvent[] {
    for (const event of events) this.#observe(event);
    this.#observe({ type: "run-end", outcome, turns, spent: { tokens, calls: 0 } });
    return events;
  }

  /** Of a run nothing is heard before its first event. */
  #observe(event: RunEvent): void {
    if (!this.#isBegun) this.#hearers.observe({ type: "run-start", runId: this.#request.id });
    this.#isBegun = true;
    this.#hearers.observe(event);
  }
}

interface Used {
  readonly turns: number;
  readonly tokens: number;
}

const NOTHING: Used = { turns: 0, tokens: 0 };
const NONE: ReadonlySet<string> = new Set();
