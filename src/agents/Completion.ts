// A chat completion: a run of one turn whose calls are the client's, told as `runLoop` tells it, without what a further step needs. Runs no tool.

import { NO_TOOLS } from "../core/emptyList.ts";
import type { RunEvent, TurnEvent } from "../core/events.ts";
import { type Failure, failure } from "../core/failures.ts";
import type { Message } from "../core/messages.ts";
import { endingOf, type RunOutcome } from "../core/outcomes.ts";
import { type ChatRequest, requestWith } from "../core/requests.ts";
import type { Take, Taken } from "../core/take.ts";
import { callsAllowed } from "./callDemands.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import { failureOf } from "./failureOf.ts";
import { offeredTools, unserved } from "./offeredTools.ts";
import type { RunServices } from "./RunServices.ts";
import { TurnHearing } from "./TurnHearing.ts";
import { takeTurn } from "./takeTurn.ts";

export interface CompletionServices
  extends Pick<RunServices, "factory" | "strategy" | "memory" | "clock" | "answerMs" | "callsHandedOver"> {
  /** Milliseconds of `answerMs` that are spent before; absent: none. */
  readonly spentMs?: number | undefined;
}

/** Who hears of it. */
interface Hearers {
  /** Hears each event of the run, before `take` has it. */
  readonly observe: (event: RunEvent) => void;
  readonly take: Take<TurnEvent>;
}

/** Of a run whose caller has left. */
export const RUN_CANCELLED = failure("cancelled", "The run was cancelled before it had an answer.");

/** True where words alone are an answer, and none of them leaves before the answer's end. */
export function mayBePlain({ stream, output, sampling, toolChoice, allowedTools }: ChatRequest): boolean {
  if (stream || output.type !== "text" || sampling.stop || allowedTools) return false;
  return toolChoice.type === "auto" || toolChoice.type === "none";
}

export class Completion {
  readonly #request: ChatRequest;
  readonly #services: CompletionServices;
  readonly #signal: AbortSignal;
  readonly #hearers: Hearers;
  readonly #hearing: TurnHearing;
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
    this.#hearing = new TurnHearing({ gateway: NONE, keepsText: this.#bound });
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
      last = this.#broken(failureOf(error), "failed");
    }
    await this.#hearers.take(last);
  }

  async #turn(): Promise<void> {
    const { memory, answerMs, spentMs = 0, clock, factory, strategy, callsHandedOver } = this.#services;
    const recalling = memory.recall(this.#request, this.#messages);
    this.#messages = recalling instanceof Promise ? await recalling : recalling;
    const deadline = new Deadline(this.#signal);
    deadline.start(answerMs - spentMs, clock, answerTooLong(answerMs));
    try {
      const conversation = this.#conversation();
      const { model, pinnedToolMode, parse } = conversation;
      const toolsOffered = callsAllowed(conversation);
      const chosen = await factory.choose(model, { pinnedToolMode, parse, toolsOffered }, deadline.signal);
      const calls = { handedOver: callsHandedOver, gateway: NONE };
      if (chosen) await takeTurn({ conversation, chosen, strategy, calls }, deadline.signal, this.#hear);
      else void this.#hear([unserved(model)]);
    } finally {
      deadline.end();
    }
  }

  /** What the model is asked: the request itself, where nothing was recalled and no list says what is allowed. */
  #conversation(): ChatRequest {
    const request = this.#request;
    const messages = this.#messages;
    const tools = offeredTools(NO_TOOLS, request);
    return messages === request.messages && tools === request.tools
      ? request
      : requestWith(request, { messages, tools, ahead: request.ahead });
  }

  /** The turn's end waits for what follows from it. */
  readonly #hear: Take<TurnEvent> = (events) => {
    const { take } = this.#hearers;
    const told: TurnEvent[] = [];
    for (const event of events) {
      this.#hearing.add(event);
      if (event.type === "turn-end" || event.type === "turn-failed") continue;
      if (this.#bound && event.type === "text-delta") continue;
      this.#observe(event);
      told.push(event);
    }
    const said = told.length > 0 ? take(told) : undefined;
    return said instanceof Promise ? said.then((later) => this.#heard(later)) : this.#heard(said);
  };

  #heard(said: Taken): Taken {
    this.#enough ||= said === "enough";
    return said;
  }

  /** What is told last, now that the turn is over. */
  #last(): readonly TurnEvent[] {
    const { end, spoke, tokens } = this.#hearing;
    const isLeft = this.#signal.aborted;
    if (!end) return isLeft ? this.#broken(RUN_CANCELLED, "cancelled") : this.#broken(this.#hearing.failure, "failed");
    const used = { turns: 1, tokens };
    const called = this.#remember();
    // Nobody is there to make the calls.
    if (called && isLeft) return this.#broken(RUN_CANCELLED, "cancelled", used);
    const outcome = called ? "handed-over" : spoke ? "answered" : "no-answer";
    const { finishReason = end.finishReason } = endingOf(outcome);
    const ended = finishReason === end.finishReason ? end : { ...end, finishReason };
    return this.#told(this.#bound ? [...this.#heldText(), ended] : [ended], outcome, used);
  }

  /** True where there are calls, which the client may send back without what the model said beside them. */
  #remember(): boolean {
    const { clientCalls } = this.#hearing.calls();
    if (clientCalls.length === 0) return false;
    this.#services.memory.remember(this.#request, this.#messages, this.#hearing.message());
    return true;
  }

  #heldText(): readonly TurnEvent[] {
    const { text, extra } = this.#hearing;
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
