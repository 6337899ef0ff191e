// Runs the nested agent runs of one turn: each is the work of one call, with its own context and a share of the outer run's limits.

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
import type { JournaledCall } from "../../core/stores/RunStore.ts";
import { CallSuspended } from "../../tools/execution/CallSuspended.ts";
import { type AgentTask, CitedOutput, type ToolOutput } from "../../tools/Tool.ts";
import type { AuditRecorder } from "../audit/AuditRecorder.ts";
import type { Journal, RunContinuation } from "../run/Journal.ts";
import { collectNestedBegunCalls, NestedJournal } from "./NestedJournal.ts";

/** Maximum nesting depth, without the outermost run. */
const DEEPEST = 3;

/** A call that asks an agent to do a task. */
export interface NestedCall {
  readonly call: ToolCall;
  readonly task: AgentTask;
}

/** Plans and continues a nested run; implemented by the agent runner. */
export interface Nesting {
  /** @throws PostelError as `AgentRunner.plan` does. */
  planNested(outer: RunState, asked: NestedCall, limits: Partial<RunLimits>, signal: AbortSignal): Promise<RunState>;
  /** Returns the state at the end. @throws as `runLoop` does. */
  proceedNested(
    state: RunState,
    going: RunContinuation & { readonly wary: boolean },
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<RunState>;
}

export interface NestedOptions {
  readonly nesting: Nesting;
  readonly journal: Journal;
  /** The outer run, as it is stored before its calls run. */
  readonly outer: RunState;
  /** Ids of the calls that are about to run. */
  readonly running: readonly string[];
  /** See `Journal.begin`. */
  readonly carried: readonly JournaledCall[];
  /** Number of nested runs among them: they share the remaining limits of the outer run. */
  readonly sharers: number;
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  readonly begun?: readonly JournaledCall[] | undefined;
  readonly wary: boolean;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly emit: (events: readonly RunEvent[]) => Promise<void>;
}

export class NestedRuns {
  readonly journal: NestedJournal;
  readonly #options: NestedOptions;
  readonly #endedStates: RunState[] = [];
  readonly #waiting: (NestedRun & { readonly interrupts: readonly Interrupt[] })[] = [];
  #isClosed = false;

  constructor(options: NestedOptions) {
    this.#options = options;
    const { journal, outer: begins, running, carried } = options;
    this.journal = new NestedJournal(journal, { begins, running, carried });
  }

  /**
   * Continues the nested run of this call to its end and returns its answer.
   * @throws CallSuspended if it waits for an approver or could not be stored; Error, for the outer model to read, if it
   * has no answer.
   */
  async run(call: ToolCall, task: AgentTask, signal: AbortSignal): Promise<ToolOutput> {
    const { outer } = this.#options;
    const before = outer.open?.nested?.find((one) => one.call.id === call.id)?.state;
    const state = before ?? (await this.#begin({ call, task }, signal));
    const collector = new Collector();
    const after = await this.#proceed(call, state, collector, signal);
    const { failure, outcome, text, response, sources = [] } = collector.getCollected();
    const isKept = !failure || !NOT_KEPT.has(failure.code);
    // If the outer run was aborted, the outcome of this run is unknown.
    if (outcome && isKept && !signal.aborted) await this.#options.auditRecorder?.recordRunEnd(after, outcome);
    const waiting = this.journal.waiting(call);
    if (outcome === "awaiting-human" && waiting) {
      this.#waiting.push({ call, ...waiting });
      throw new CallSuspended({ type: "waits", ...waiting });
    }
    // A run that could not be stored must not report anything: the outer run resumes from its last stored state.
    if (failure && !isKept) throw new CallSuspended({ type: "broken", cause: new PostelError(failure) });
    this.#endedStates.push(after);
    if (failure) throw new Error(`the agent ${task.agent} failed: ${failure.message}`);
    if (outcome === "answered") {
      // The text of the last turn, if the run stores it, because earlier turns are only intermediate text.
      const answer = task.workflow === undefined ? joinText(after.messages.at(-1)?.content ?? "") || text : response;
      return sources.length > 0 ? new CitedOutput(answer ?? "", sources) : (answer ?? "");
    }
    const partialAnswer = text.trim() === "" ? "" : ` Until then it had said:\n\n${text}`;
    throw new Error(`the agent ${task.agent} ended without an answer (${outcome ?? "unknown"}).${partialAnswer}`);
  }

  /** Usage of the nested runs that have ended. */
  get getSpent(): Spent {
    return this.#endedStates.map(computeSpent).reduce(addSpent, { tokens: 0, calls: 0 });
  }

  /** True if one of the nested runs has read untrusted content. */
  get untrusted(): boolean {
    return this.#endedStates.some(({ untrusted }) => untrusted === true);
  }

  /** Calls of the nested runs that approvers rejected. */
  get rejections(): readonly Rejection[] {
    return this.#endedStates.flatMap(({ rejections = [] }) => rejections);
  }

  get waiting(): readonly (NestedRun & { readonly interrupts: readonly Interrupt[] })[] {
    return this.#waiting;
  }

  /** Ends the turn: events and writes of a nested run that was aborted are dropped. */
  close(): void {
    this.#isClosed = true;
    this.journal.close();
  }

  async #begin(call: NestedCall, signal: AbortSignal): Promise<RunState> {
    const state = await this.#plan(call, signal);
    try {
      await this.#options.auditRecorder?.recordRequest(state);
    } catch (cause) {
      throw new CallSuspended({ type: "broken", cause });
    }
    return state;
  }

  #plan(call: NestedCall, signal: AbortSignal): Promise<RunState> {
    const { nesting, outer, sharers, clock } = this.#options;
    const { depth = 0 } = outer;
    if (depth >= DEEPEST)
      throw new Error(`agents have one another do things at most ${DEEPEST} deep; do this without another agent.`);
    return nesting.planNested(outer, call, share(computeRemaining(outer, clock.now()), sharers), signal);
  }

  async #proceed(call: ToolCall, state: RunState, collector: Collector, signal: AbortSignal): Promise<RunState> {
    const { nesting, decisions, begun, wary, emit: tell } = this.#options;
    const continuation = {
      journal: this.journal.createJournal(call),
      decisions,
      begun: collectNestedBegunCalls(call, begun),
      wary,
    };
    let delivered = Promise.resolve();
    const onEvents: EventSink<RunEvent> = async (events) => {
      if (this.#isClosed) return "enough";
      for (const event of events) collector.add(event);
      const shownEvents = events.filter(isShown);
      if (shownEvents.length === 0) return undefined;
      delivered = delivered.then(() =>
        tell(shownEvents.map((event) => ({ type: "nested", callId: call.id, agent: state.agent, event }) as const)),
      );
      await delivered;
      return undefined;
    };
    try {
      return await nesting.proceedNested(state, continuation, signal, onEvents);
    } catch (cause) {
      throw new CallSuspended({ type: "broken", cause });
    }
  }
}

/** Failures to store a run. */
const NOT_KEPT: ReadonlySet<string> = new Set(["run_not_saved", "run_taken", "shutting_down"]);

/** Returns true for events that the client gets. The text is the result of the call, and the outer run raises the interrupts. */
function isShown({ type }: RunEvent): boolean {
  return type !== "text-delta" && type !== "reasoning-delta" && type !== "interrupt" && type !== "tool-call";
}

/** Divides the remaining limits, so that parallel runs together stay within them. */
function share(remainingLimits: Partial<RunLimits>, sharers: number): Partial<RunLimits> {
  const { totalTokens, maxCalls, maxMoney } = remainingLimits;
  return {
    ...remainingLimits,
    ...(totalTokens !== undefined && { totalTokens: Math.floor(totalTokens / sharers) }),
    ...(maxCalls !== undefined && { maxCalls: Math.floor(maxCalls / sharers) }),
    ...(maxMoney !== undefined && { maxMoney: maxMoney / sharers }),
  };
}

function addSpent(a: Spent, b: Spent): Spent {
  const money = a.money === undefined && b.money === undefined ? undefined : (a.money ?? 0) + (b.money ?? 0);
  return { tokens: a.tokens + b.tokens, calls: a.calls + b.calls, ...(money !== undefined && { money }) };
}
