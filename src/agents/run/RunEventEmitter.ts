// Selects and emits the events that the client of a run gets: turn events, carried results and the end.

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

/** Separator between the texts of two turns. */
const TEXT_BREAK = "\n\n";
/** Answer of a run that reached its turn limit without any text. */
const OUT_OF_TURNS = "I couldn't complete the task within the iteration limit.";

export class RunEventEmitter {
  /** True if a call of a turn may wait for an approver. The client's own calls are then emitted once nothing waits. */
  readonly mayWait: boolean;
  readonly #stateRef: RunStateRef;
  readonly #outbox: EventBuffer<RunEvent>;

  constructor(stateRef: RunStateRef, onEvents: EventSink<RunEvent>) {
    const { interactive, gatewayTools } = stateRef.state;
    this.mayWait = interactive && gatewayTools.length > 0;
    this.#stateRef = stateRef;
    this.#outbox = new EventBuffer(onEvents);
  }

  /** True if a turn's text is buffered until it is known to be the answer: with an output schema, if a reflection follows, and in a phase turn. */
  get bound(): boolean {
    const { request, reflection, phase } = this.#stateRef.state;
    return request.output.type !== "text" || reflection === "due" || phase !== undefined;
  }

  /** True if a turn's text is needed after it was emitted. */
  get keepsText(): boolean {
    const { gatewayTools, extraction } = this.#stateRef.state;
    return gatewayTools.length > 0 || extraction !== undefined || this.bound;
  }

  /** True once the sink has signalled `enough`. */
  get enough(): boolean {
    return this.#outbox.isDone;
  }

  /** Passes the buffered events to the sink. See `EventBuffer.hand`. */
  hand(): ReturnType<EventBuffer<RunEvent>["flush"]> {
    return this.#outbox.flush();
  }

  emit(...events: readonly RunEvent[]): void {
    this.emitAll(events);
  }

  /** For lists of any length: as arguments they could overflow the stack. */
  emitAll(events: Iterable<RunEvent>): void {
    for (const event of events) this.#outbox.ready.push(event);
  }

  /** Emits an event of the current turn, if the client gets it. */
  pass(event: TurnEvent, turnCollector: TurnCollector): void {
    switch (event.type) {
      case "text-delta":
        if (!this.bound) this.#text(event, turnCollector);
        return;
      case "tool-call":
        if (!this.mayWait && !turnCollector.isGateway(event.call)) this.emit(event);
        return;
      // The end of a turn is emitted later, because its finish reason depends on the next step.
      case "turn-end":
      case "turn-failed":
        return;
      case "turn-start":
        this.#stateRef.change({ toolMode: event.toolMode });
        this.emit(event);
        return;
      case "reasoning-delta":
      case "format-issue":
      case "attempt":
        this.emit(event);
        return;
      default:
        event satisfies never;
    }
  }

  /** Emits content. A blank line separates it from earlier turns; stored messages do not contain that line. */
  #text(event: Extract<TurnEvent, { type: "text-delta" }>, turnCollector: TurnCollector): void {
    // `wrote` was computed when the text arrived, so a text of megabytes is not scanned again.
    if (!turnCollector.textPassed && turnCollector.wrote) {
      if (this.#stateRef.state.sentText) this.emit({ type: "text-delta", text: TEXT_BREAK });
      turnCollector.textPassed = true;
      this.#stateRef.change({ sentText: true });
    }
    this.#outbox.ready.push(event);
  }

  /** Emits the buffered text of a bound turn that was the last one. */
  heldText({ text, extra }: TurnCollector): void {
    if (!this.bound) return;
    if (text !== "") this.#stateRef.change({ sentText: true });
    if (text !== "" || extra.length > 0) this.emit({ type: "text-delta", text, ...(extra.length > 0 && { extra }) });
  }

  /** Emits the answer of an earlier turn, which is now final. */
  answer(text: string): void {
    if (text === "") return;
    this.#stateRef.change({ sentText: true });
    this.emit({ type: "text-delta", text });
  }

  /** Reports that the model refused, so that no output is extracted. */
  emitRefusal(refusal: string): void {
    if (!this.#stateRef.state.extraction) return;
    this.emit({ type: "extraction", missing: `The model declined to answer: ${refusal}` });
  }

  /** Emits an answer whose reflection could not be made. */
  withheld(): void {
    const { state } = this.#stateRef;
    if (state.phase?.type === "reflect") this.answer(getFinalAnswer(state));
  }

  /** Emits the results of gateway tools as content, because the client's next request contains only what it was sent. */
  carryResults(): void {
    const { executed, sentText } = this.#stateRef.state;
    if (executed.length === 0) return;
    const text = joinResults(executed);
    this.emit({ type: "text-delta", text: sentText ? TEXT_BREAK + text : text });
  }

  /** Ends the run and its last turn with this outcome. Returns false, like `fail` and `cancel`: no further step follows. */
  finish(end: TurnEnd, outcome: RunOutcome): false {
    if (outcome === "max-turns" && !this.bound && !this.#stateRef.state.sentText)
      this.emit({ type: "text-delta", text: OUT_OF_TURNS });
    this.#missing(outcome);
    this.emit({ ...end, finishReason: getOutcomeInfo(outcome).finishReason ?? end.finishReason }, this.#end(outcome));
    return false;
  }

  /** Reports a missing output to a client that asked for one. A waiting run may still produce it. */
  #missing(outcome: RunOutcome): void {
    const { extraction } = this.#stateRef.state;
    if (!extraction || outcome === "answered" || outcome === "awaiting-human" || outcome === "handed-over") return;
    this.emit({ type: "extraction", missing: `The work had not ended by itself: the run ended as ${outcome}.` });
  }

  fail(reason: Failure): false {
    this.emit({ type: "turn-failed", failure: reason }, this.#end("failed"));
    return false;
  }

  cancel(): false {
    this.emit({ type: "turn-failed", failure: RUN_CANCELLED }, this.#end("cancelled"));
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

/** Maximum number of citations of one run. */
const MOST = 200;

/** Each citation once, in the order of arrival. */
function collectCitations({ executed, open }: Pick<RunState, "executed" | "open">): readonly ToolCitation[] {
  const results = [...executed, ...(open?.settled.filter(({ ran }) => ran) ?? [])].map(({ result }) => result);
  const cited = results.flatMap(({ name, sources = [] }) => sources.map((source) => ({ tool: name, ...source })));
  // Deduplicated by content.
  return [...new Map(cited.map((one) => [JSON.stringify(one), one])).values()].slice(0, MOST);
}
