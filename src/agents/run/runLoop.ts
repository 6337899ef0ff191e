// The only loop: turns and tools until there is an answer, a call for the client, or a limit; a chat completion is its one-turn run. Knows no format.

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
import { createTurn } from "./finishTurn.ts";
import type { RunContinuation } from "./Journal.ts";
import { RunDeadline, resumeDeadline } from "./RunDeadline.ts";
import { RunEventEmitter } from "./RunEventEmitter.ts";
import type { RunServices } from "./RunServices.ts";
import { RunStateRef } from "./RunStateRef.ts";
import { applyPhaseResult, decideNextPhase, getFinalAnswer } from "./runPhases.ts";

/**
 * Gives the events of a run, or the further ones of a run that goes on from a state that was saved. A turn's end comes after the
 * gateway has run the turn's calls, or when they wait for a person. The last event is `run-end`; before that of a run that failed or
 * was cancelled stands its `turn-failed`. A run of which `take` has had enough has neither. Returns the state of then; of a run that
 * another agent goes on with, which has no end yet, the state in which it does. Throws only what
 * `take` throws.
 */
export async function runLoop(
  state: RunState,
  services: RunServices & RunContinuation,
  signal: AbortSignal,
  take: EventSink<RunEvent>,
): Promise<RunState> {
  return await new RunInProgress(resumeDeadline(state, services.clock), services, signal, take).events();
}

class RunInProgress {
  /** All of the below, for what closes its turns. */
  #parts: RunParts;
  readonly #stateRef: RunStateRef;
  readonly #services: RunServices & RunContinuation;
  readonly #time: RunDeadline;
  readonly #turns: Pick<TurnRunner, "take">;
  readonly #emitter: RunEventEmitter;
  readonly #tasks: AsyncToolTasks;

  constructor(state: RunState, given: RunServices & RunContinuation, signal: AbortSignal, take: EventSink<RunEvent>) {
    const stateRef = new RunStateRef(state);
    const services = addResultReader(given, stateRef);
    this.#stateRef = stateRef;
    this.#services = services;
    this.#time = new RunDeadline(state, signal);
    this.#turns = given.steps ?? new TurnRunner(services);
    this.#emitter = new RunEventEmitter(stateRef, take);
    this.#tasks = new AsyncToolTasks(stateRef, services);
    this.#parts = {
      ...{ stateRef, services, time: this.#time, emitter: this.#emitter, tasks: this.#tasks },
      keys: new CallKeys(),
      isRepeatable: (name) => services.registry.get(name)?.repeatable === true,
    };
  }

  async events(): Promise<RunState> {
    if (this.#state.turn === 0) this.#emitter.tell({ type: "run-start", runId: this.#state.id });
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

  /** What a client has dropped of the calls that it was given stands in the history again. */
  async #recall(): Promise<void> {
    const { request, messages } = this.#state;
    this.#stateRef.change({
      messages: await this.#services.memory.recall(request, messages),
    });
  }

  get #state(): RunState {
    return this.#stateRef.state;
  }

  /** What a model does, or what the gateway does after it. True where a further step follows. */
  #step(): Promise<boolean> {
    const { open } = this.#state;
    return open ? this.#close(open) : this.#turn();
  }

  async #turn(): Promise<boolean> {
    // What the model reads for the last time has the outcome of every task.
    if (this.#state.turn + 1 >= this.#state.maxTurns) await this.#tasks.all(this.#time.signal);
    this.#emitter.tellAll(this.#tasks.collect());
    const fitted = await this.#services.context?.fit(this.#state, this.#time.signal);
    if (fitted && !this.#fits(fitted)) return false;
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
      await this.#turns.take(context?.sent(this.#state) ?? this.#state, deadline.signal, (events) => {
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
    if (phase) return this.#beside(phase, turnCollector);
    const message = turnCollector.message();
    this.#services.memory.remember(request, messages, message);
    const counted = this.#services.context?.counted(this.#state, turnCollector.end);
    const after = {
      ...this.#state,
      ...counted,
      messages: [...messages, message],
      turn: turn + 1,
    };
    this.#stateRef.become(withSpent(after, turnCollector.spent(prices)));
    const asking = {
      ...this.#parts,
      overdue: this.#time.overdue,
      isPlanned: this.#services.steps !== undefined,
    };
    return this.#follow(decideStepAfterTurn(this.#state, turnCollector, asking), turnCollector);
  }

  /** False where no model can be asked. */
  #fits({ state, events, failure: why }: Fitted): boolean {
    this.#stateRef.become(state);
    this.#emitter.tellAll(events);
    if (!why) return true;
    this.#emitter.withheld();
    return this.#emitter.fail(why);
  }

  /** True where a further step follows. */
  #follow(step: NextStep, turnCollector: TurnCollector): boolean | Promise<boolean> {
    const { tokens, money } = turnCollector.spent(this.#state.prices);
    const end = turnCollector.turnEnd();
    switch (step.type) {
      case "final-answer":
      case "no-answer":
        return this.#answered(step.type === "final-answer" ? "answered" : "no-answer", turnCollector);
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

  /** The work has ended by itself: that is the run's end, unless a turn beside it follows, or the outcome of a task. */
  async #answered(outcome: RunOutcome, turnCollector: TurnCollector): Promise<boolean> {
    if (this.#tasks.pending) {
      await this.#tasks.all(this.#time.signal);
      if (this.#state.turn < this.#state.maxTurns) return this.#goOn(this.#state, turnCollector);
      this.#emitter.tellAll(this.#tasks.collect());
    }
    const end = turnCollector.turnEnd();
    const { refusal } = turnCollector;
    const mayGoOn = outcome === "answered" && refusal === undefined;
    const phase = mayGoOn ? decideNextPhase(this.#state, end.finishReason) : undefined;
    if (phase?.type !== "reflect") this.#emitter.heldText(turnCollector);
    if (refusal !== undefined) this.#emitter.declined(refusal);
    return phase ? this.#goOn({ ...this.#state, phase }, turnCollector) : this.#emitter.finish(end, outcome);
  }

  /** A turn beside the work is over. */
  #beside(phase: RunPhase, turnCollector: TurnCollector): boolean | Promise<boolean> {
    const { turn, prices } = this.#state;
    // The limit of turns is the work's; what is read out of it comes on top, once.
    const taken = {
      ...this.#state,
      turn: phase.type === "extract" ? turn : turn + 1,
    };
    const counted = withSpent(taken, turnCollector.spent(prices));
    const { state, event, confirmed, over } = applyPhaseResult(counted, phase, turnCollector.text);
    this.#stateRef.become(state);
    this.#emitter.tell(event);
    if (confirmed) this.#emitter.answer(getFinalAnswer(state));
    const end = turnCollector.turnEnd();
    if (!over) return this.#goOn(this.#state, turnCollector);
    return this.#emitter.finish(
      "finishReason" in phase ? { ...end, finishReason: phase.finishReason } : end,
      "answered",
    );
  }

  /** A further turn follows one without calls. Where the run is taken up elsewhere, that one is not asked for again. */
  async #goOn(state: RunState, turnCollector: TurnCollector): Promise<true> {
    const { tokens, money } = turnCollector.spent(state.prices);
    const end = turnCollector.turnEnd();
    this.#stateRef.become({
      ...state,
      open: createTurn({ execute: [], handsOver: false, end, tokens, money }),
    });
    await this.#emitter.hand();
    await this.#services.journal.turned(this.#state);
    return true;
  }

  async #close(turn: PendingTurn): Promise<boolean> {
    // What judges and runs calls is loaded with the first of them: a gateway for chat completions starts without it.
    const { finishTurn } = await import("./finishTurn.ts");
    const parts = this.#parts;
    const { services } = parts;
    // What began before the run went on here is of the turn that was open then, and of no later one.
    if (services.begun) this.#parts = { ...parts, services: { ...services, begun: undefined } };
    return finishTurn(turn, parts);
  }

  /** A turn without an end: the caller left, the run's time was up, or it failed. One that was too long is asked once more. */
  async #broken(turnCollector: TurnCollector): Promise<boolean> {
    if (this.#time.cancelled) return this.#emitter.cancel();
    const fitted = this.#time.overdue
      ? undefined
      : await this.#services.context?.refit(this.#state, turnCollector.failure, this.#time.signal);
    if (fitted) return this.#fits(fitted);
    this.#emitter.withheld();
    if (this.#time.overdue) return this.#emitter.finish(turnCollector.turnEnd(), "timeout");
    return this.#emitter.fail(turnCollector.failure);
  }
}

const NONE: ReadonlySet<string> = new Set();

function toSet(names: readonly string[] = []): ReadonlySet<string> {
  return names.length > 0 ? new Set(names) : NONE;
}
