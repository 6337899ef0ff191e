// Runs a chat completion: a run of one turn whose calls go to the client. Emits the same events as `runLoop`, but has no further turns.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { RunEvent, TurnEvent } from "../../core/events/events.ts";
import { createFailure, type Failure, toFailure } from "../../core/failures.ts";
import type { Message } from "../../core/messages.ts";
import { NO_TOOLS } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { getOutcomeInfo, type RunOutcome } from "../../core/runs/outcomes.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";
import { createUnservedModelFailure, selectOfferedTools } from "../prompting/offeredTools.ts";
import { answerTooLong, Deadline } from "../run/Deadline.ts";
import type { RunServices } from "../run/RunServices.ts";
import { runTurn } from "../turn/runTurn.ts";
import { TurnCollector } from "../turn/TurnCollector.ts";
import { completeText, mayCompleteAtOnce } from "./completeText.ts";

type CompletionServices = Pick<
  RunServices,
  "factory" | "strategy" | "memory" | "clock" | "answerMs" | "maxClientCalls" | "fastPaths"
>;

/** The receivers of the run's events. */
interface Hearers {
  /** Called with each event of the run, before `take` gets it. */
  readonly observe: (event: RunEvent) => void;
  readonly take: EventSink<TurnEvent>;
}

/** Failure of a run whose client has disconnected. */
export const RUN_CANCELLED = createFailure("cancelled", "The run was cancelled before it had an answer.");

export class ChatCompletionRun {
  readonly #request: ChatRequest;
  readonly #services: CompletionServices;
  readonly #signal: AbortSignal;
  readonly #hearers: Hearers;
  readonly #turnCollector: TurnCollector;
  /** True if the text is buffered until the turn ends, because a failed turn must emit none. */
  readonly #bound: boolean;
  #messages: readonly Message[];
  #isBegun = false;
  /** True once the sink has signalled `enough`. */
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
   * Runs the turn. The last event that `take` gets is the one `turn-end` or `turn-failed`; the observer gets `run-end`
   * after it. If `take` signals `enough` earlier, there is neither. Throws only what `take` throws.
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
    const { memory, answerMs, clock, factory, strategy, maxClientCalls } = this.#services;
    this.#messages = await memory.recall(this.#request, this.#messages);
    const deadline = new Deadline(this.#signal);
    let isStopped = false;
    deadline.start(answerMs, clock, answerTooLong(answerMs));
    try {
      const conversation = this.#conversation();
      const { model, pinnedToolMode, parse } = conversation;
      const toolsOffered = allowsToolCalls(conversation);
      const chosen = await factory.choose(model, { pinnedToolMode, parse, toolsOffered }, deadline.signal);
      const calls = { handedOver: maxClientCalls, gateway: NONE };
      if (!chosen) {
        await this.#onTurnEvents([createUnservedModelFailure(model)]);
        return;
      }
      const isFast = this.#services.fastPaths && mayCompleteAtOnce(conversation);
      const first = isFast ? await completeText(conversation, chosen, deadline.signal) : chosen;
      if ("agent" in first)
        await runTurn({ conversation, chosen: first, strategy, calls }, deadline.signal, this.#onTurnEvents);
      else {
        // Nothing listens to the signal of a finished answer, and an abort is not free.
        deadline.stop();
        isStopped = true;
        await this.#onTurnEvents(first);
      }
    } finally {
      if (!isStopped) deadline.end();
    }
  }

  /** The conversation for the model. It is the request itself if nothing was recalled and no list restricts the tools. */
  #conversation(): ChatRequest {
    const request = this.#request;
    const messages = this.#messages;
    const tools = selectOfferedTools(NO_TOOLS, request);
    return messages === request.messages && tools === request.tools ? request : { ...request, messages, tools };
  }

  /** The end of the turn is buffered, because its finish reason depends on the outcome. */
  readonly #onTurnEvents: EventSink<TurnEvent> = (events) => {
    const { take } = this.#hearers;
    const shownEvents: TurnEvent[] = [];
    for (const event of events) {
      this.#turnCollector.add(event);
      if (event.type === "turn-end" || event.type === "turn-failed") continue;
      if (this.#bound && event.type === "text-delta") continue;
      this.#observe(event);
      shownEvents.push(event);
    }
    const said = shownEvents.length > 0 ? take(shownEvents) : undefined;
    return said instanceof Promise ? said.then((later) => this.#recordSignal(later)) : this.#recordSignal(said);
  };

  #recordSignal(said: SinkSignal): SinkSignal {
    this.#enough ||= said === "enough";
    return said;
  }

  /** The last events, now that the turn is over. */
  #last(): readonly TurnEvent[] {
    const { end, spoke, tokens } = this.#turnCollector;
    const isLeft = this.#signal.aborted;
    if (!end)
      return isLeft ? this.#broken(RUN_CANCELLED, "cancelled") : this.#broken(this.#turnCollector.failure, "failed");
    const used = { turns: 1, tokens };
    const called = this.#remember();
    // The client has disconnected, so no one can execute the calls.
    if (called && isLeft) return this.#broken(RUN_CANCELLED, "cancelled", used);
    const outcome = called ? "handed-over" : spoke ? "answered" : "no-answer";
    const { finishReason = end.finishReason } = getOutcomeInfo(outcome);
    const ended = finishReason === end.finishReason ? end : { ...end, finishReason };
    return this.#shownEvents(this.#bound ? [...this.#heldText(), ended] : [ended], outcome, used);
  }

  /** Returns true if there are calls. Stores their metadata, which the client may leave out when it sends them back. */
  #remember(): boolean {
    const { clientCalls } = this.#turnCollector.calls();
    if (clientCalls.length === 0) return false;
    this.#services.memory.store(this.#request, this.#messages, this.#turnCollector.message());
    return true;
  }

  #heldText(): readonly TurnEvent[] {
    const { text, extra } = this.#turnCollector;
    if (text === "" && extra.length === 0) return [];
    return [{ type: "text-delta", text, ...(extra.length > 0 && { extra }) }];
  }

  #broken(why: Failure, outcome: RunOutcome, used: Used = NOTHING): readonly TurnEvent[] {
    return this.#shownEvents([{ type: "turn-failed", failure: why }], outcome, used);
  }

  #shownEvents(events: readonly TurnEvent[], outcome: RunOutcome, { turns, tokens }: Used): readonly TurnEvent[] {
    for (const event of events) this.#observe(event);
    this.#observe({ type: "run-end", outcome, turns, spent: { tokens, calls: 0 } });
    return events;
  }

  /** Emits `run-start` before the first event. */
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
