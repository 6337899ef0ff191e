// What the reader of a run hears of it: of a turn's events those that are the reader's, results that a client takes along, the end. Decides nothing.

import type { ToolCitation } from "../../core/events/citations.ts";
import { EventBuffer, type EventSink } from "../../core/events/EventSink.ts";
import type { RunEvent, TurnEnd, TurnEvent } from "../../core/events/events.ts";
import type { Failure } from "../../core/failures.ts";
import { computeSpent } from "../../core/runs/budget.ts";
import { getOutcomeInfo, type RunOutcome } from "../../core/runs/outcomes.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { RUN_CANCELLED } from "../completion/ChatCompletionRun.ts";
import type { TurnCollector } from "../turn/TurnCollector.ts";
import { joinResults } from "./joinResults.ts";
import type { RunStateRef } from "./RunStateRef.ts";
import { getFinalAnswer } from "./runPhases.ts";

/** Between the texts of two turns. */
const TEXT_BREAK = "\n\n";
/** The answer of a run that was stopped by its turns before it had said anything. */
const OUT_OF_TURNS = "I couldn't complete the task within the iteration limit.";

export class RunEventEmitter {
  /** True where a call of a turn may wait for a person: then the client's own calls are told once nothing does. */
  readonly mayWait: boolean;
  readonly #stateRef: RunStateRef;
  readonly #outbox: EventBuffer<RunEvent>;

  constructor(stateRef: RunStateRef, take: EventSink<RunEvent>) {
    const { interactive, gatewayTools } = stateRef.state;
    this.mayWait = interactive && gatewayTools.length > 0;
    this.#stateRef = stateRef;
    this.#outbox = new EventBuffer(take);
  }

  /**
   * True where a turn's text waits until it is known whether it is content. With an output schema, and where the answer is looked at
   * before it counts, that is the last turn's alone; what a turn beside the work says is never.
   */
  get bound(): boolean {
    const { request, reflection, phase } = this.#stateRef.state;
    return request.output.type !== "text" || reflection === "due" || phase !== undefined;
  }

  /** Whether anything comes of a turn's words once they have left. */
  get keepsText(): boolean {
    const { gatewayTools, extraction } = this.#stateRef.state;
    return gatewayTools.length > 0 || extraction !== undefined || this.bound;
  }

  /** True once the reader has had enough. */
  get enough(): boolean {
    return this.#outbox.enough;
  }

  /** Gives the reader what was told. See `Outbox.hand`. */
  hand(): ReturnType<EventBuffer<RunEvent>["hand"]> {
    return this.#outbox.hand();
  }

  tell(...events: readonly RunEvent[]): void {
    this.tellAll(events);
  }

  /** For lists as long as a model makes them: as arguments they would overflow the stack. */
  tellAll(events: Iterable<RunEvent>): void {
    for (const event of events) this.#outbox.ready.push(event);
  }

  /** An event of the turn that is being heard, where it is the reader's. */
  pass(event: TurnEvent, turnCollector: TurnCollector): void {
    switch (event.type) {
      case "text-delta":
        if (!this.bound) this.#text(event, turnCollector);
        return;
      case "tool-call":
        if (!this.mayWait && !turnCollector.isGateway(event.call)) this.tell(event);
        return;
      // The end of a turn waits for what follows from it.
      case "turn-end":
      case "turn-failed":
        return;
      case "turn-start":
        this.#stateRef.change({ toolMode: event.toolMode });
        this.tell(event);
        return;
      case "reasoning-delta":
      case "format-issue":
      case "attempt":
        this.tell(event);
        return;
      default:
        event satisfies never;
    }
  }

  /** Content, set off from that of earlier turns by a blank line, which no stored message has. */
  #text(event: Extract<TurnEvent, { type: "text-delta" }>, turnCollector: TurnCollector): void {
    // Whether a text of megabytes is visible was looked through once, when it was heard.
    if (!turnCollector.textPassed && turnCollector.wrote) {
      if (this.#stateRef.state.sentText) this.tell({ type: "text-delta", text: TEXT_BREAK });
      turnCollector.textPassed = true;
      this.#stateRef.change({ sentText: true });
    }
    this.#outbox.ready.push(event);
  }

  /** The text of a bound turn that turned out to be the last. */
  heldText({ text, extra }: TurnCollector): void {
    if (!this.bound) return;
    if (text !== "") this.#stateRef.change({ sentText: true });
    if (text !== "" || extra.length > 0) this.tell({ type: "text-delta", text, ...(extra.length > 0 && { extra }) });
  }

  /** The answer of a turn before, which counts now. */
  answer(text: string): void {
    if (text === "") return;
    this.#stateRef.change({ sentText: true });
    this.tell({ type: "text-delta", text });
  }

  /** The model declined: nothing is read out of its work. */
  declined(refusal: string): void {
    if (!this.#stateRef.state.extraction) return;
    this.tell({ type: "extraction", missing: `The model declined to answer: ${refusal}` });
  }

  /** An answer that could not be looked at is told all the same. */
  withheld(): void {
    const { state } = this.#stateRef;
    if (state.phase?.type === "reflect") this.answer(getFinalAnswer(state));
  }

  /** The client's history has only what was sent, so what the gateway's tools said must be in it. */
  carryResults(): void {
    const { executed, sentText } = this.#stateRef.state;
    if (executed.length === 0) return;
    const text = joinResults(executed);
    this.tell({ type: "text-delta", text: sentText ? TEXT_BREAK + text : text });
  }

  /** The end of a run and of its last turn, which ends as the run's outcome has it. False, as of the other two ends: no step follows. */
  finish(end: TurnEnd, outcome: RunOutcome): false {
    if (outcome === "max-turns" && !this.bound && !this.#stateRef.state.sentText)
      this.tell({ type: "text-delta", text: OUT_OF_TURNS });
    this.#missing(outcome);
    this.tell({ ...end, finishReason: getOutcomeInfo(outcome).finishReason ?? end.finishReason }, this.#end(outcome));
    return false;
  }

  /** Whoever asked for an output is told that there is none. A run that only waits may have one yet. */
  #missing(outcome: RunOutcome): void {
    const { extraction } = this.#stateRef.state;
    if (!extraction || outcome === "answered" || outcome === "awaiting-human" || outcome === "handed-over") return;
    this.tell({ type: "extraction", missing: `The work had not ended by itself: the run ended as ${outcome}.` });
  }

  fail(why: Failure): false {
    this.tell({ type: "turn-failed", failure: why }, this.#end("failed"));
    return false;
  }

  cancel(): false {
    this.tell({ type: "turn-failed", failure: RUN_CANCELLED }, this.#end("cancelled"));
    return false;
  }

  #end(outcome: RunOutcome): RunEvent {
    const { state } = this.#stateRef;
    const sources = collectCitations(state);
    return {
      ...{ type: "run-end", outcome, turns: state.turn, spent: computeSpent(state) },
      ...(sources.length > 0 && { sources }),
      ...(state.untrusted && { untrusted: true }),
    };
  }
}

/** Of one run: an answer of more has no readers for them. */
const MOST = 200;

/** Each once, in the order in which they came. */
function collectCitations({ executed, open }: Pick<RunState, "executed" | "open">): readonly ToolCitation[] {
  const results = [...executed, ...(open?.settled.filter(({ ran }) => ran) ?? [])].map(({ result }) => result);
  const cited = results.flatMap(({ name, sources = [] }) => sources.map((source) => ({ tool: name, ...source })));
  // By what they say.
  return [...new Map(cited.map((one) => [JSON.stringify(one), one])).values()].slice(0, MOST);
}
