// The only loop: turns and tools until there is an answer, a call for the client, or a limit; a chat completion is its one-turn run. Knows no format.
import { withSpent } from "../core/budget.ts";
import { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent } from "../core/events.ts";
import type { RunOutcome } from "../core/outcomes.ts";
import type { NextStep, OpenTurn, RunPhase, RunState } from "../core/run.ts";
import type { Take } from "../core/take.ts";
import type { RunParts } from "./closeTurn.ts";
import type { Fitted } from "./context/ContextKeeper.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import { failureOf } from "./failureOf.ts";
import type { Going } from "./Journal.ts";
import { newTurn } from "./openTurn.ts";
import type { RunServices } from "./RunServices.ts";
import { RunTasks } from "./RunTasks.ts";
import { goingOn, RunTime } from "./RunTime.ts";
import { RunVoice } from "./RunVoice.ts";
import { readingOn } from "./readResult.ts";
import { afterPhase, answerOf, phaseAfter } from "./runPhases.ts";
import { Standing } from "./Standing.ts";
import { stepAfter } from "./stepAfter.ts";
import { TurnHearing } from "./TurnHearing.ts";
import { TurnTaker } from "./TurnTaker.ts";

/**
 * Gives the events of a run, or the further ones of a run that goes on from a state that was saved. A turn's end comes after the
 * gateway has run the turn's calls, or when they wait for a person. The last event is `run-end`; before that of a run that failed or
 * was cancelled stands its `turn-failed`. A run of which `take` has had enough has neither. Returns the state of then; of a run that
 * another agent goes on with, which has no end yet, the state in which it does. Throws only what
 * `take` throws.
 */
export async function runLoop(
  state: RunState,
  services: RunServices & Going,
  signal: AbortSignal,
  take: Take<RunEvent>,
): Promise<RunState> {
  return await new RunInProgress(goingOn(state, services.clock), services, signal, take).events();
}

class RunInProgress {
  /** All of the below, for what closes its turns. */
  #parts: RunParts;
  readonly #standing: Standing;
  readonly #services: RunServices & Going;
  readonly #time: RunTime;
  readonly #turns: Pick<TurnTaker, "take">;
  readonly #voice: RunVoice;
  readonly #tasks: RunTasks;

  constructor(state: RunState, given: RunServices & Going, signal: AbortSignal, take: Take<RunEvent>) {
    const standing = new Standing(state);
    const services = readingOn(given, standing);
    this.#standing = standing;
    this.#services = services;
    this.#time = new RunTime(state, signal);
    this.#turns = given.steps ?? new TurnTaker(services);
    this.#voice = new RunVoice(standing, take);
    this.#tasks = new RunTasks(standing, services);
    this.#parts = {
      ...{ standing, services, time: this.#time, voice: this.#voice, tasks: this.#tasks },
      keys: new CallKeys(),
      isRepeatable: (name) => services.registry.get(name)?.repeatable === true,
    };
  }

  async events(): Promise<RunState> {
    if (this.#state.turn === 0) this.#voice.tell({ type: "run-start", runId: this.#state.id });
    this.#time.start(this.#services.clock);
    try {
      await this.#recall();
      while ((await this.#step()) && (await this.#voice.hand()) !== "enough");
    } catch (error) {
      this.#voice.fail(failureOf(error));
    } finally {
      this.#tasks.end();
      this.#time.end();
    }
    await this.#voice.hand();
    return this.#state;
  }

  /** What a client has dropped of the calls that it was given stands in the history again. */
  async #recall(): Promise<void> {
    const { request, messages } = this.#state;
    this.#standing.change({
      messages: await this.#services.memory.recall(request, messages),
    });
  }

  get #state(): RunState {
    return this.#standing.state;
  }

  /** What a model does, or what the gateway does after it. True where a further step follows. */
  #step(): Promise<boolean> {
    const { open } = this.#state;
    return open ? this.#close(open) : this.#turn();
  }

  async #turn(): Promise<boolean> {
    // What the model reads for the last time has the outcome of every task.
    if (this.#state.turn + 1 >= this.#state.maxTurns) await this.#tasks.all(this.#time.signal);
    this.#voice.tellAll(this.#tasks.collect());
    const fitted = await this.#services.context?.fit(this.#state, this.#time.signal);
    if (fitted && !this.#fits(fitted)) return false;
    const gateway = setOf(this.#state.gatewayTools);
    const hearing = new TurnHearing({
      gateway,
      keepsText: this.#voice.keepsText,
    });
    const { answerMs, clock } = this.#services;
    const deadline = new Deadline(this.#time.signal);
    deadline.start(answerMs, clock, answerTooLong(answerMs));
    try {
      const { context } = this.#services;
      await this.#turns.take(context?.sent(this.#state) ?? this.#state, deadline.signal, (events) => {
        for (const event of events) {
          hearing.add(event);
          this.#voice.pass(event, hearing);
        }
        return this.#voice.hand();
      });
    } finally {
      deadline.end();
    }
    if (this.#voice.enough) return false;
    if (!hearing.end) return this.#broken(hearing);
    const { request, messages, turn, prices, phase } = this.#state;
    if (phase) return this.#beside(phase, hearing);
    const message = hearing.message();
    this.#services.memory.remember(request, messages, message);
    const counted = this.#services.context?.counted(this.#state, hearing.end);
    const after = {
      ...this.#state,
      ...counted,
      messages: [...messages, message],
      turn: turn + 1,
    };
    this.#standing.become(withSpent(after, hearing.spent(prices)));
    const asking = {
      ...this.#parts,
      overdue: this.#time.overdue,
      isPlanned: this.#services.steps !== undefined,
    };
    return this.#follow(stepAfter(this.#state, hearing, asking), hearing);
  }

  /** False where no model can be asked. */
  #fits({ state, events, failure: why }: Fitted): boolean {
    this.#standing.become(state);
    this.#voice.tellAll(events);
    if (!why) return true;
    this.#voice.withheld();
    return this.#voice.fail(why);
  }

  /** True where a further step follows. */
  #follow(step: NextStep, hearing: TurnHearing): boolean | Promise<boolean> {
    const { tokens, money } = hearing.spent(this.#state.prices);
    const end = hearing.turnEnd();
    switch (step.type) {
      case "final-answer":
      case "no-answer":
        return this.#answered(step.type === "final-answer" ? "answered" : "no-answer", hearing);
      case "hand-over":
        this.#voice.heldText(hearing);
        this.#standing.change({
          open: newTurn({
            execute: step.execute,
            clientCalls: this.#voice.mayWait ? step.calls : [],
            handsOver: true,
            end,
            tokens,
            money,
          }),
        });
        return true;
      case "stop":
        return this.#voice.finish(end, step.outcome);
      case "run-again":
        this.#standing.change({
          open: newTurn({
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
  async #answered(outcome: RunOutcome, hearing: TurnHearing): Promise<boolean> {
    if (this.#tasks.pending) {
      await this.#tasks.all(this.#time.signal);
      if (this.#state.turn < this.#state.maxTurns) return this.#goOn(this.#state, hearing);
      this.#voice.tellAll(this.#tasks.collect());
    }
    const end = hearing.turnEnd();
    const { refusal } = hearing;
    const mayGoOn = outcome === "answered" && refusal === undefined;
    const phase = mayGoOn ? phaseAfter(this.#state, end.finishReason) : undefined;
    if (phase?.type !== "reflect") this.#voice.heldText(hearing);
    if (refusal !== undefined) this.#voice.declined(refusal);
    return phase ? this.#goOn({ ...this.#state, phase }, hearing) : this.#voice.finish(end, outcome);
  }

  /** A turn beside the work is over. */
  #beside(phase: RunPhase, hearing: TurnHearing): boolean | Promise<boolean> {
    const { turn, prices } = this.#state;
    // The limit of turns is the work's; what is read out of it comes on top, once.
    const taken = {
      ...this.#state,
      turn: phase.type === "extract" ? turn : turn + 1,
    };
    const counted = withSpent(taken, hearing.spent(prices));
    const { state, event, confirmed, over } = afterPhase(counted, phase, hearing.text);
    this.#standing.become(state);
    this.#voice.tell(event);
    if (confirmed) this.#voice.answer(answerOf(state));
    const end = hearing.turnEnd();
    if (!over) return this.#goOn(this.#state, hearing);
    return this.#voice.finish("finishReason" in phase ? { ...end, finishReason: phase.finishReason } : end, "answered");
  }

  /** A further turn follows one without calls. Where the run is taken up elsewhere, that one is not asked for again. */
  async #goOn(state: RunState, hearing: TurnHearing): Promise<true> {
    const { tokens, money } = hearing.spent(state.prices);
    const end = hearing.turnEnd();
    this.#standing.become({
      ...state,
      open: newTurn({ execute: [], handsOver: false, end, tokens, money }),
    });
    await this.#voice.hand();
    await this.#services.journal.turned(this.#state);
    return true;
  }

  async #close(turn: OpenTurn): Promise<boolean> {
    // What judges and runs calls is loaded with the first of them: a gateway for chat completions starts without it.
    const { closeTurn } = await import("./closeTurn.ts");
    const parts = this.#parts;
    const { services } = parts;
    // What began before the run went on here is of the turn that was open then, and of no later one.
    if (services.begun) this.#parts = { ...parts, services: { ...services, begun: undefined } };
    return closeTurn(turn, parts);
  }

  /** A turn without an end: the caller left, the run's time was up, or it failed. One that was too long is asked once more. */
  async #broken(hearing: TurnHearing): Promise<boolean> {
    if (this.#time.cancelled) return this.#voice.cancel();
    const fitted = this.#time.overdue
      ? undefined
      : await this.#services.context?.refit(this.#state, hearing.failure, this.#time.signal);
    if (fitted) return this.#fits(fitted);
    this.#voice.withheld();
    if (this.#time.overdue) return this.#voice.finish(hearing.turnEnd(), "timeout");
    return this.#voice.fail(hearing.failure);
  }
}

const NONE: ReadonlySet<string> = new Set();

function setOf(names: readonly string[] = []): ReadonlySet<string> {
  return names.length > 0 ? new Set(names) : NONE;
}
