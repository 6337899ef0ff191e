// The only loop: turns and tools until there is an answer, a call for the client, or a limit; a chat completion is its one-turn run. Knows no format.
import { withSpent } from "../core/budget.ts";
import { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent, TurnEnd } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import type { Interrupt } from "../core/interrupts.ts";
import type { RunOutcome } from "../core/outcomes.ts";
import type { NextStep, OpenTurn, RunPhase, RunState } from "../core/run.ts";
import type { Take } from "../core/take.ts";
import type { Fitted } from "./context/ContextKeeper.ts";
import { answerTooLong, Deadline } from "./Deadline.ts";
import type { AskedCall } from "./executeCalls.ts";
import { failureOf } from "./failureOf.ts";
import { askingCall } from "./interruptOf.ts";
import type { Going } from "./Journal.ts";
import { endOf, newTurn } from "./openTurn.ts";
import type { RunServices } from "./RunServices.ts";
import { RunTasks } from "./RunTasks.ts";
import { RunVoice } from "./RunVoice.ts";
import { readingOn } from "./readResult.ts";
import type { IsRepeatable } from "./repeatedCalls.ts";
import { afterPhase, answerOf, phaseAfter } from "./runPhases.ts";
import { Standing } from "./Standing.ts";
import type { SettledTurn } from "./settleTurn.ts";
import { stepAfter } from "./stepAfter.ts";
import { TurnHearing } from "./TurnHearing.ts";
import { TurnTaker } from "./TurnTaker.ts";
import { goingOn, waitingFor } from "./waiting.ts";
import { withResults } from "./withResults.ts";

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
  readonly #standing: Standing;
  readonly #services: RunServices & Going;
  readonly #cancelled: AbortSignal;
  /** The whole run's; a run that may take as long as its upstreams do has none. */
  readonly #deadline: Deadline | undefined;
  readonly #keys = new CallKeys();
  readonly #isRepeatable: IsRepeatable = (name) => this.#services.registry.get(name)?.repeatable === true;
  readonly #turns: Pick<TurnTaker, "take">;
  readonly #voice: RunVoice;
  #handedOff: RunEvent | undefined;
  readonly #tasks: RunTasks;

  constructor(state: RunState, services: RunServices & Going, signal: AbortSignal, take: Take<RunEvent>) {
    this.#standing = new Standing(state);
    this.#services = readingOn(services, this.#standing);
    this.#cancelled = signal;
    this.#deadline = state.deadline === undefined ? undefined : new Deadline(signal);
    this.#turns = services.steps ?? new TurnTaker(this.#services);
    this.#voice = new RunVoice(this.#standing, take);
    this.#tasks = new RunTasks(this.#standing, this.#services);
  }

  async events(): Promise<RunState> {
    if (this.#state.turn === 0) this.#voice.tell({ type: "run-start", runId: this.#state.id });
    const { deadline } = this.#state;
    const { clock } = this.#services;
    if (deadline !== undefined) this.#deadline?.start(deadline - clock.now(), clock, RUN_TOO_LONG);
    try {
      await this.#recall();
      while ((await this.#step()) && (await this.#voice.hand()) !== "enough");
    } catch (error) {
      this.#voice.fail(failureOf(error));
    } finally {
      this.#tasks.end();
      this.#deadline?.end();
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

  /** Aborted where the caller leaves or the run's time is up. */
  get #signal(): AbortSignal {
    return this.#deadline?.signal ?? this.#cancelled;
  }

  get #overdue(): boolean {
    return this.#deadline?.passed ?? false;
  }

  /** What a model does, or what the gateway does after it. True where a further step follows. */
  #step(): Promise<boolean> {
    const { open } = this.#state;
    return open ? this.#close(open) : this.#turn();
  }

  /** What has come of the run's tasks goes into what the model reads next; where it is the last that it reads, all is waited for. */
  async #readTasks(waits: boolean): Promise<void> {
    if (waits) await this.#tasks.all(this.#signal);
    this.#voice.tell(...this.#tasks.collect());
  }

  async #turn(): Promise<boolean> {
    await this.#readTasks(this.#state.turn + 1 >= this.#state.maxTurns);
    const fitted = await this.#services.context?.fit(this.#state, this.#signal);
    if (fitted && !this.#fits(fitted)) return false;
    const gateway = setOf(this.#state.gatewayTools);
    const hearing = new TurnHearing({
      gateway,
      keepsText: this.#voice.keepsText,
    });
    const { answerMs, clock } = this.#services;
    const deadline = new Deadline(this.#signal);
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
      keys: this.#keys,
      isRepeatable: this.#isRepeatable,
      overdue: this.#overdue,
      isPlanned: this.#services.steps !== undefined,
    };
    return this.#follow(stepAfter(this.#state, hearing, asking), hearing);
  }

  /** False where no model can be asked. */
  #fits({ state, events, failure: why }: Fitted): boolean {
    this.#standing.become(state);
    this.#voice.tell(...events);
    if (!why) return true;
    this.#voice.withheld();
    this.#voice.fail(why);
    return false;
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
        return this.#finish(end, step.outcome);
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
      await this.#tasks.all(this.#signal);
      if (this.#state.turn < this.#state.maxTurns) return this.#goOn(this.#state, hearing);
      this.#voice.tell(...this.#tasks.collect());
    }
    const end = hearing.turnEnd();
    const phase = outcome === "answered" ? phaseAfter(this.#state, end.finishReason) : undefined;
    if (phase?.type !== "reflect") this.#voice.heldText(hearing);
    return phase ? this.#goOn({ ...this.#state, phase }, hearing) : this.#finish(end, outcome);
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
    return this.#finish("finishReason" in phase ? { ...end, finishReason: phase.finishReason } : end, "answered");
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

  /** Brings the gateway's calls of a turn to their results and ends it, or waits for a person. */
  async #close(turn: OpenTurn): Promise<boolean> {
    const { open, asked, stops, untrusted, within } = await this.#settle(turn);
    this.#standing.change({
      open,
      ...((untrusted || within?.untrusted) && { untrusted: true }),
      ...this.#tasks.state(),
    });
    if (within) this.#standing.become(withSpent(this.#state, within.spent));
    const isOver = stops || this.#cancelled.aborted || (this.#overdue && !turn.handsOver);
    const waitsWithin = within?.waiting.flatMap(({ interrupts }) => interrupts) ?? [];
    if (asked.length + waitsWithin.length > 0 && !isOver) return this.#wait(open, asked, waitsWithin);
    if (open.settled.length > 0) {
      this.#standing.become(withResults(this.#state, open, { keys: this.#keys, isRepeatable: this.#isRepeatable }));
      if (!isOver && !turn.handsOver) await this.#handOff(open);
      await this.#services.journal.turned(this.#state);
    }
    if (this.#cancelled.aborted) return this.#cancel();
    if (stops) return this.#finish(endOf(open), "rejected");
    if (turn.handsOver) {
      await this.#readTasks(true);
      this.#voice.carryResults();
      this.#voice.tell(...open.clientCalls.map((call) => ({ type: "tool-call", call }) as const));
      return this.#finish(endOf(open), "handed-over");
    }
    if (this.#overdue) {
      this.#voice.withheld();
      return this.#finish(endOf(open), "timeout");
    }
    this.#standing.change({ open: undefined });
    if (open.end) this.#voice.tell({ ...open.end, finishReason: "stop" });
    if (!this.#handedOff) return true;
    this.#voice.tell(this.#handedOff);
    return false;
  }

  /** The state is the other agent's from here on; whoever runs this loop goes on with it. */
  async #handOff({ settled }: OpenTurn): Promise<void> {
    const from = this.#state.agent;
    const handed = this.#services.handOff?.(this.#state, settled);
    if (!handed) return;
    const { state, reason } = handed;
    await this.#tasks.all(this.#signal);
    this.#standing.become({ ...state, ...this.#tasks.state() });
    this.#handedOff = { type: "handoff", from, to: state.agent, ...(reason !== undefined && { reason }) };
  }

  async #settle(turn: OpenTurn): Promise<SettledTurn> {
    // What judges and runs calls is loaded with the first of them: a gateway for chat completions starts without it.
    const { settleTurn } = await import("./settleTurn.ts");
    // Runs within tell side by side; their reader is given one batch after another.
    let last: Promise<unknown> = Promise.resolve();
    const tell = async (...events: readonly RunEvent[]): Promise<void> => {
      this.#voice.tell(...events);
      last = last.then(() => this.#voice.hand());
      await last;
    };
    return settleTurn(this.#state, turn, {
      ...this.#services,
      signal: this.#signal,
      keys: this.#keys,
      tasks: this.#tasks,
      tell,
    });
  }

  /** The turn ends for its reader with what is asked; nobody is asked before that is written down. */
  async #wait(open: OpenTurn, asked: readonly AskedCall[], within: readonly Interrupt[]): Promise<false> {
    // Whoever takes the run further then begins none of them again.
    await this.#tasks.all(this.#signal);
    this.#standing.change(this.#tasks.state());
    const { state, interrupts: own } = waitingFor(this.#state, open, {
      asked,
      ...this.#services,
    });
    const interrupts = [...own, ...within];
    this.#standing.become(state);
    await this.#services.journal.waits(state, interrupts);
    for (const interrupt of interrupts)
      this.#voice.tell({ type: "interrupt", interrupt }, { type: "tool-call", call: askingCall(interrupt) });
    return this.#finish(endOf(open), "awaiting-human");
  }

  #finish(end: TurnEnd, outcome: RunOutcome): false {
    this.#voice.finish(end, outcome);
    return false;
  }

  /** A turn without an end: the caller left, the run's time was up, or it failed. One that was too long is asked once more. */
  async #broken(hearing: TurnHearing): Promise<boolean> {
    if (this.#cancelled.aborted) return this.#cancel();
    const fitted = this.#overdue
      ? undefined
      : await this.#services.context?.refit(this.#state, hearing.failure, this.#signal);
    if (fitted) return this.#fits(fitted);
    this.#voice.withheld();
    if (this.#overdue) return this.#finish(hearing.turnEnd(), "timeout");
    this.#voice.fail(hearing.failure);
    return false;
  }

  #cancel(): false {
    this.#voice.cancel();
    return false;
  }
}

const NONE: ReadonlySet<string> = new Set();

function setOf(names: readonly string[] = []): ReadonlySet<string> {
  return names.length > 0 ? new Set(names) : NONE;
}

const RUN_TOO_LONG = failure("turn_timeout", "The run's time is up.");
