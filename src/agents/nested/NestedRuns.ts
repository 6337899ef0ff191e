// The runs of agents within one turn of a run: each is what a call does, with a context of its own and what its run has left. Plans none itself.

import { Collector } from "../../core/events/Collector.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { RunEvent, Spent } from "../../core/events/events.ts";
import { PostelError } from "../../core/failures.ts";
import { joinText, type ToolCall } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import type { RunLimits } from "../../core/requests.ts";
import { computeRemaining, computeSpent } from "../../core/runs/budget.ts";
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import type { NestedRun, Rejection, RunState } from "../../core/runs/RunState.ts";
import type { JournaledCall } from "../../core/stores.ts";
import { CallSuspended } from "../../tools/execution/CallSuspended.ts";
import { type AgentTask, CitedOutput, type ToolOutput } from "../../tools/Tool.ts";
import type { AuditRecorder } from "../audit/AuditRecorder.ts";
import type { Journal, RunContinuation } from "../run/Journal.ts";
import { collectNestedBegunCalls, NestedJournal } from "./NestedJournal.ts";

/** Runs that may go on in one another, the outermost not counted. */
const DEEPEST = 3;

/** What one of a run's calls has an agent do. */
export interface NestedCall {
  readonly call: ToolCall;
  readonly task: AgentTask;
}

/** How a run within another is planned and taken further; the runner of agents does both. */
export interface Nesting {
  /** @throws PostelError as `AgentRunner.plan` does. */
  planWithin(outer: RunState, asked: NestedCall, limits: Partial<RunLimits>, signal: AbortSignal): Promise<RunState>;
  /** Gives the state at its end. @throws as `runLoop` does. */
  proceedWithin(
    state: RunState,
    going: RunContinuation & { readonly wary: boolean },
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<RunState>;
}

export interface NestedOptions {
  readonly nesting: Nesting;
  readonly journal: Journal;
  /** The run around them, as it is written before its calls run. */
  readonly outer: RunState;
  /** Ids of the calls that are about to run. */
  readonly running: readonly string[];
  /** See `Journal.begin`. */
  readonly carried: readonly JournaledCall[];
  /** How many of them are runs of agents: they share what the run has left. */
  readonly sharers: number;
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  readonly begun?: readonly JournaledCall[] | undefined;
  readonly wary: boolean;
  /** Absent where nothing is recorded. */
  readonly auditRecorder?: AuditRecorder | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly tell: (events: readonly RunEvent[]) => Promise<void>;
}

export class NestedRuns {
  readonly journal: NestedJournal;
  readonly #options: NestedOptions;
  readonly #ended: RunState[] = [];
  readonly #waiting: (NestedRun & { readonly interrupts: readonly Interrupt[] })[] = [];
  #closed = false;

  constructor(options: NestedOptions) {
    this.#options = options;
    const { journal, outer: begins, running, carried } = options;
    this.journal = new NestedJournal(journal, { begins, running, carried });
  }

  /**
   * Takes the run that this call is to its end, from where it stands; gives its answer.
   * @throws CallUnsettled where it waits for a person or could not be kept, Error where it has no answer, for the outer model to read.
   */
  async run(call: ToolCall, task: AgentTask, signal: AbortSignal): Promise<ToolOutput> {
    const { outer } = this.#options;
    const before = outer.open?.nested?.find((one) => one.call.id === call.id)?.state;
    const state = before ?? (await this.#begin({ call, task }, signal));
    const heard = new Collector();
    const after = await this.#proceed(call, state, heard, signal);
    const { failure, outcome, text, response, sources = [] } = heard.value();
    const isKept = !failure || !NOT_KEPT.has(failure.code);
    // Where the run around it leaves off, what becomes of this one is not known here.
    if (outcome && isKept && !signal.aborted) await this.#options.auditRecorder?.over(after, outcome);
    const waits = this.journal.waiting(call);
    if (outcome === "awaiting-human" && waits) {
      this.#waiting.push({ call, ...waits });
      throw new CallSuspended({ type: "waits", ...waits });
    }
    // Of what could not be written nothing may be told either: the run around it is where this one was.
    if (failure && !isKept) throw new CallSuspended({ type: "broken", cause: new PostelError(failure) });
    this.#ended.push(after);
    if (failure) throw new Error(`the agent ${task.agent} failed: ${failure.message}`);
    if (outcome === "answered") {
      // The last turn's words, where its run keeps them: what the turns before it said was said on the way.
      const answer = task.workflow === undefined ? joinText(after.messages.at(-1)?.content ?? "") || text : response;
      return sources.length > 0 ? new CitedOutput(answer ?? "", sources) : (answer ?? "");
    }
    const said = text.trim() === "" ? "" : ` Until then it had said:\n\n${text}`;
    throw new Error(`the agent ${task.agent} ended without an answer (${outcome ?? "unknown"}).${said}`);
  }

  /** What those that have ended used. */
  get spent(): Spent {
    return this.#ended.map(computeSpent).reduce(sum, { tokens: 0, calls: 0 });
  }

  /** True where one of them has read what somebody outside of the gateway wrote. */
  get untrusted(): boolean {
    return this.#ended.some(({ untrusted }) => untrusted === true);
  }

  /** Calls of theirs that approvers rejected. */
  get rejections(): readonly Rejection[] {
    return this.#ended.flatMap(({ rejections = [] }) => rejections);
  }

  get waiting(): readonly (NestedRun & { readonly interrupts: readonly Interrupt[] })[] {
    return this.#waiting;
  }

  /** The turn is over for them: what one that was broken off still does is neither told nor written. */
  close(): void {
    this.#closed = true;
    this.journal.close();
  }

  async #begin(asked: NestedCall, signal: AbortSignal): Promise<RunState> {
    const state = await this.#plan(asked, signal);
    try {
      await this.#options.auditRecorder?.asked(state);
    } catch (cause) {
      throw new CallSuspended({ type: "broken", cause });
    }
    return state;
  }

  #plan(asked: NestedCall, signal: AbortSignal): Promise<RunState> {
    const { nesting, outer, sharers, clock } = this.#options;
    const { depth = 0 } = outer;
    if (depth >= DEEPEST)
      throw new Error(`agents have one another do things at most ${DEEPEST} deep; do this without another agent.`);
    return nesting.planWithin(outer, asked, share(computeRemaining(outer, clock.now()), sharers), signal);
  }

  async #proceed(call: ToolCall, state: RunState, heard: Collector, signal: AbortSignal): Promise<RunState> {
    const { nesting, decisions, begun, wary, tell } = this.#options;
    const going = { journal: this.journal.of(call), decisions, begun: collectNestedBegunCalls(call, begun), wary };
    let told = Promise.resolve();
    const take: EventSink<RunEvent> = async (events) => {
      if (this.#closed) return "enough";
      for (const event of events) heard.add(event);
      const shown = events.filter(isShown);
      if (shown.length === 0) return undefined;
      told = told.then(() =>
        tell(shown.map((event) => ({ type: "nested", callId: call.id, agent: state.agent, event }) as const)),
      );
      await told;
      return undefined;
    };
    try {
      return await nesting.proceedWithin(state, going, signal, take);
    } catch (cause) {
      throw new CallSuspended({ type: "broken", cause });
    }
  }
}

/** Failures of whoever keeps the run. */
const NOT_KEPT: ReadonlySet<string> = new Set(["run_not_saved", "run_taken", "shutting_down"]);

/** The words of its answer are the call's result; what it asks is asked by the run around it. */
function isShown({ type }: RunEvent): boolean {
  return type !== "text-delta" && type !== "reasoning-delta" && type !== "interrupt" && type !== "tool-call";
}

/** Runs that go on side by side cannot together use more than there is. */
function share(left: Partial<RunLimits>, sharers: number): Partial<RunLimits> {
  const { totalTokens, maxCalls, maxMoney } = left;
  return {
    ...left,
    ...(totalTokens !== undefined && { totalTokens: Math.floor(totalTokens / sharers) }),
    ...(maxCalls !== undefined && { maxCalls: Math.floor(maxCalls / sharers) }),
    ...(maxMoney !== undefined && { maxMoney: maxMoney / sharers }),
  };
}

function sum(a: Spent, b: Spent): Spent {
  const money = a.money === undefined && b.money === undefined ? undefined : (a.money ?? 0) + (b.money ?? 0);
  return { tokens: a.tokens + b.tokens, calls: a.calls + b.calls, ...(money !== undefined && { money }) };
}
