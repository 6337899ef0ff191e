// The agent loop: turns and tools until there is an answer, a call for the client, or a limit.

import type { EventSink } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { toFailure } from "../../core/failures.ts";
import { withSpent } from "../../core/runs/budget.ts";
import { CallKeys } from "../../core/runs/callKey.ts";
import type { RunOutcome } from "../../core/runs/outcomes.ts";
import type { NextStep, PendingTurn, RunPhase, RunState } from "../../core/runs/RunState.ts";
import { addResultReader } from "../calls/readResultTool.ts";
import type { Fitted } from "../context/ContextManager.ts";
import { TurnCollector } from "../turn/TurnCollector.ts";
import { TurnRunner } from "../turn/TurnRunner.ts";
import { AsyncToolTasks } from "./AsyncToolTasks.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import { decideStepAfterTurn } from "./decideNextStep.ts";
import type { RunParts } from "./finishTurn.ts";
import { createTurn, finishTurn } from "./finishTurn.ts";
import type { RunContinuation } from "./Journal.ts";
import { RunDeadline, resumeDeadline } from "./RunDeadline.ts";
import { RunEventEmitter } from "./RunEventEmitter.ts";
import type { RunServices } from "./RunServices.ts";
import { RunStateRef } from "./RunStateRef.ts";
import { applyPhaseResult, decideNextPhase, getFinalAnswer } from "./runPhases.ts";

/**
 * Emits the events of a run, new or resumed. A turn's end is emitted after the gateway has run the turn's calls, or when
 * they wait for an approver. The last event is `run-end`, preceded by `turn-failed` if the run failed or was cancelled.
 * If `take` signals `enough`, neither is emitted. Returns the last state; after a hand-off it is the state with which
 * the next agent continues. Throws only what `take` throws.
 */
export async function runLoop(
  state: RunState,
  services: RunServices & RunContinuation,
  signal: AbortSignal,
  onEvents: EventSink<RunEvent>,
): Promise<RunState> {
  return await new RunInProgress(resumeDeadline(state, services.clock), services, signal, onEvents).events();
}

class RunInProgress {
  /** All parts below, for `finishTurn`. */
  #parts: RunParts;
  readonly #stateRef: RunStateRef;
  readonly #services: RunServices & RunContinuation;
  readonly #time: RunDeadline;
  readonly #turns: Pick<TurnRunner, "runTurn">;
  readonly #emitter: RunEventEmitter;
  readonly #tasks: AsyncToolTasks;

  constructor(
    state: RunState,
    given: RunServices & RunContinuation,
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ) {
    const stateRef = new RunStateRef(state);
    const services = addResultReader(given, stateRef);
    this.#stateRef = stateRef;
    this.#services = services;
    this.#time = new RunDeadline(state, signal);
    this.#turns = given.steps ?? new TurnRunner(services);
    this.#emitter = new RunEventEmitter(stateRef, onEvents);
    this.#tasks = new AsyncToolTasks(stateRef, services);
    this.#parts = {
      ...{ stateRef, services, time: this.#time, emitter: this.#emitter, tasks: this.#tasks },
      keys: new CallKeys(),
      isRepeatable: (name) => services.registry.get(name)?.repeatable === true,
    };
  }

  async events(): Promise<RunState> {
    if (this.#state.turn === 0) this.#emitter.emit({ type: "run-start", runId: this.#state.id });
    this.#time.start(this.#services.clock);
    try {
      await this.#recall();
      while ((await this.#step()) && (await this.#emitter.hand()) !== "enough");
    } catch (error) {
      this.#emitter.fail(toFailure(error));
    } finally {
      this.#tasks.end();
      this.#time.end();
    }
    await this.#emitter.hand();
    return this.#state;
  }

  /** Restores call metadata that the client has dropped. */
  async #recall(): Promise<void> {
    const { request, messages } = this.#state;
    this.#stateRef.change({
      messages: await this.#services.memory.recall(request, messages),
    });
  }

  get #state(): RunState {
    return this.#stateRef.state;
  }

  /** Runs a turn, or settles the open one. Returns true if a further step follows. */
  #step(): Promise<boolean> {
    const { open } = this.#state;
    return open ? this.#close(open) : this.#turn();
  }

  async #turn(): Promise<boolean> {
    // The last turn needs the outcome of every task.
    if (this.#state.turn + 1 >= this.#state.maxTurns) await this.#tasks.all(this.#time.signal);
    this.#emitter.emitAll(this.#tasks.collect());
    const fitted = await this.#services.context?.fit(this.#state, this.#time.signal);
    if (fitted && !this.#handleFitted(fitted)) return false;
    const gateway = toSet(this.#state.gatewayTools);
    const turnCollector = new TurnCollector({
      gateway,
      keepsText: this.#emitter.keepsText,
    });
    const { answerMs, clock } = this.#services;
    const deadline = new Deadline(this.#time.signal);
    deadline.start(answerMs, clock, answerTooLong(answerMs));
    try {
      const { context } = this.#services;
      await this.#turns.runTurn(context?.markSent(this.#state) ?? this.#state, deadline.signal, (events) => {
        for (const event of events) {
          turnCollector.add(event);
          this.#emitter.pass(event, turnCollector);
        }
        return this.#emitter.hand();
      });
    } finally {
      deadline.end();
    }
    if (this.#emitter.enough) return false;
    if (!turnCollector.end) return this.#broken(turnCollector);
    const { request, messages, turn, prices, phase } = this.#state;
    if (phase) return this.#finishPhase(phase, turnCollector);
    const message = turnCollector.message();
    this.#services.memory.store(request, messages, message);
    const countedPrompt = this.#services.context?.countPrompt(this.#state, turnCollector.end);
    const after = {
      ...this.#state,
      ...countedPrompt,
      messages: [...messages, message],
      turn: turn + 1,
    };
    this.#stateRef.become(withSpent(after, turnCollector.isEmitted(prices)));
    const asking = {
      ...this.#parts,
      overdue: this.#time.overdue,
      isPlanned: this.#services.steps !== undefined,
    };
    return this.#onAbort(decideStepAfterTurn(this.#state, turnCollector, asking), turnCollector);
  }

  /** Returns false if no model can be asked. */
  #handleFitted({ state, events, failure: reason }: Fitted): boolean {
    this.#stateRef.become(state);
    this.#emitter.emitAll(events);
    if (!reason) return true;
    this.#emitter.withheld();
    return this.#emitter.fail(reason);
  }

  /** Returns true if a further step follows. */
  #onAbort(step: NextStep, turnCollector: TurnCollector): boolean | Promise<boolean> {
    const { tokens, money } = turnCollector.isEmitted(this.#state.prices);
    const end = turnCollector.turnEnd();
    switch (step.type) {
      case "final-answer":
      case "no-answer":
        return this.#finishAnswer(step.type === "final-answer" ? "answered" : "no-answer", turnCollector);
      case "hand-over":
        this.#emitter.heldText(turnCollector);
        this.#stateRef.change({
          open: createTurn({
            execute: step.execute,
            clientCalls: this.#emitter.mayWait ? step.calls : [],
            handsOver: true,
            end,
            tokens,
            money,
          }),
        });
        return true;
      case "stop":
        return this.#emitter.finish(end, step.outcome);
      case "run-again":
        this.#stateRef.change({
          open: createTurn({
            execute: step.execute,
            handsOver: false,
            end,
            tokens,
            money,
          }),
        });
        return true;
      default:
        return step satisfies never;
    }
  }

  /** The model gave a final answer. Ends the run unless a reflection, an extraction or an async task is still due. */
  async #finishAnswer(outcome: RunOutcome, turnCollector: TurnCollector): Promise<boolean> {
    if (this.#tasks.pending) {
      await this.#tasks.all(this.#time.signal);
      if (this.#state.turn < this.#state.maxTurns) return this.#continueRun(this.#state, turnCollector);
      this.#emitter.emitAll(this.#tasks.collect());
    }
    const end = turnCollector.turnEnd();
    const { refusal } = turnCollector;
    const canContinue = outcome === "answered" && refusal === undefined;
    const phase = canContinue ? decideNextPhase(this.#state, end.finishReason) : undefined;
    if (phase?.type !== "reflect") this.#emitter.heldText(turnCollector);
    if (refusal !== undefined) this.#emitter.emitRefusal(refusal);
    return phase ? this.#continueRun({ ...this.#state, phase }, turnCollector) : this.#emitter.finish(end, outcome);
  }

  /** Applies the result of a phase turn. */
  #finishPhase(phase: RunPhase, turnCollector: TurnCollector): boolean | Promise<boolean> {
    const { turn, prices } = this.#state;
    // The turn limit applies to the work; the extraction is one extra turn.
    const phaseRecord = {
      ...this.#state,
      turn: phase.type === "extract" ? turn : turn + 1,
    };
    const countedPrompt = withSpent(phaseRecord, turnCollector.isEmitted(prices));
    const { state, event, confirmed, isOver: over } = applyPhaseResult(countedPrompt, phase, turnCollector.text);
    this.#stateRef.become(state);
    this.#emitter.emit(event);
    if (confirmed) this.#emitter.answer(getFinalAnswer(state));
    const end = turnCollector.turnEnd();
    if (!over) return this.#continueRun(this.#state, turnCollector);
    return this.#emitter.finish(
      "finishReason" in phase ? { ...end, finishReason: phase.finishReason } : end,
      "answered",
    );
  }

  /** Continues after a turn without calls. The journal stores the state, so that a resumed run does not repeat the turn. */
  async #continueRun(state: RunState, turnCollector: TurnCollector): Promise<true> {
    const { tokens, money } = turnCollector.isEmitted(state.prices);
    const end = turnCollector.turnEnd();
    this.#stateRef.become({
      ...state,
      open: createTurn({ execute: [], handsOver: false, end, tokens, money }),
    });
    await this.#emitter.hand();
    await this.#services.journal.recordTurn(this.#state);
    return true;
  }

  #close(turn: PendingTurn): Promise<boolean> {
    const parts = this.#parts;
    const { services } = parts;
    // Calls that began before the run was resumed belong to the turn that was open then.
    if (services.begun) this.#parts = { ...parts, services: { ...services, begun: undefined } };
    return finishTurn(turn, parts);
  }

  /** Handles a turn without an end: the caller disconnected, the run's time was up, or the turn failed. A prompt that was too long is shrunk and sent again. */
  async #broken(turnCollector: TurnCollector): Promise<boolean> {
    if (this.#time.cancelled) return this.#emitter.cancel();
    const fitted = this.#time.overdue
      ? undefined
      : await this.#services.context?.refit(this.#state, turnCollector.failure, this.#time.signal);
    if (fitted) return this.#handleFitted(fitted);
    this.#emitter.withheld();
    if (this.#time.overdue) return this.#emitter.finish(turnCollector.turnEnd(), "timeout");
    return this.#emitter.fail(turnCollector.failure);
  }
}

const NONE: ReadonlySet<string> = new Set();

function toSet(names: readonly string[] = []): ReadonlySet<string> {
  return names.length > 0 ? new Set(names) : NONE;
}
