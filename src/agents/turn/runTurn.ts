// Runs one turn, which consists of attempts: emits the events of the accepted one, and one end for all.

import { EventBuffer, type EventSink } from "../../core/events/EventSink.ts";
import type { ModelOpened, TurnEvent } from "../../core/events/events.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import { createFailure, PostelError, toFailure } from "../../core/failures.ts";
import type { Acceptance, AttemptDecision, AttemptResult } from "../../core/runs/RunState.ts";
import { OutputNormalizer } from "../../formats/answers/OutputNormalizer.ts";
import type { Agent, AttemptConversation, AttemptEvent } from "../Agent.ts";
import type { ChosenAgent } from "../AgentFactory.ts";
import { AttemptCollector } from "../attempt/AttemptCollector.ts";
import { type CallLimits, CallPolicy } from "../attempt/CallPolicy.ts";
import { findMissingCall } from "../attempt/toolChoiceRules.ts";
import { createUncheckedCall } from "../history/rejectedCalls.ts";
import { type MendedHistory, repairHistory } from "../history/repairHistory.ts";
import { askForAnswer } from "../prompting/appendInstruction.ts";
import { decideAttempt } from "./decideAttempt.ts";
import { isCallIssue, type RetryStrategy } from "./RetryStrategy.ts";
import { TurnOutputBuffer } from "./TurnOutputBuffer.ts";
import { TurnUsage } from "./TurnUsage.ts";

export interface TurnRequest {
  readonly conversation: AttemptConversation;
  readonly chosen: ChosenAgent;
  readonly strategy: RetryStrategy;
  readonly calls: CallLimits;
}

/** Runs a turn. The last event is its one `turn-end` or `turn-failed`, unless `take` signals `enough` earlier. Throws only what `take` throws. */
export function runTurn(request: TurnRequest, signal: AbortSignal, take: EventSink<TurnEvent>): Promise<void> {
  return new TurnInProgress(request, signal, take).events();
}

/** The first event of a turn, after the model call was opened. */
export function createTurnStart(
  { model, toolMode, row }: Agent,
  { note }: ModelOpened,
  historyRepairs: readonly string[],
): TurnEvent {
  const repairs = historyRepairs.length > 0 ? historyRepairs : undefined;
  return { type: "turn-start", model, toolMode, row, note, historyRepairs: repairs };
}

class TurnInProgress {
  readonly #signal: AbortSignal;
  readonly #outbox: EventBuffer<TurnEvent>;
  readonly #strategy: RetryStrategy;
  readonly #callLimits: CallLimits;
  readonly #turnUsage = new TurnUsage();
  readonly #outlet: TurnOutputBuffer;
  /** Created if the answer must have a format. */
  #output: OutputNormalizer | undefined;
  #conversation: AttemptConversation;
  readonly #chosen: ChosenAgent;
  /** Results of the earlier attempts of the turn. */
  readonly #earlier: AttemptResult[] = [];
  /** Reason for the next attempt; absent for the first. */
  #reason: string | undefined;
  #announced: Agent["toolMode"] | undefined;
  #historyRepairs: readonly string[] = [];

  constructor({ conversation, chosen, strategy, calls }: TurnRequest, signal: AbortSignal, take: EventSink<TurnEvent>) {
    this.#outbox = new EventBuffer(take);
    this.#conversation = conversation;
    this.#chosen = chosen;
    this.#strategy = strategy;
    this.#callLimits = calls;
    this.#signal = signal;
    const { output } = this.#demands;
    this.#outlet = new TurnOutputBuffer({ live: conversation.stream === true, bound: output.type !== "text" });
  }

  get #agent(): Agent {
    return this.#chosen.agent;
  }

  /** The conversation with the demands on the answer. */
  get #demands(): AttemptConversation {
    return this.#agent.untouched ? { ...this.#conversation, ...NO_DEMANDS } : this.#conversation;
  }

  async events(): Promise<void> {
    try {
      while ((await this.#attempt()) && (await this.#outbox.flush()) !== "enough");
    } catch (error) {
      this.#tell({ type: "turn-failed", failure: toFailure(error) });
    }
    await this.#outbox.flush();
  }

  /** Returns true if a further attempt follows. */
  async #attempt(): Promise<boolean> {
    // An attempt that was made before the turn is read even if the client has disconnected.
    const isMade = this.#reason === undefined && this.#chosen.isBegun;
    if (this.#signal.aborted && !isMade) throw stopped(this.#signal);
    this.#goUp(await repairHistory(this.#conversation.messages));
    const gate = new CallPolicy(this.#conversation, { untouched: this.#agent.untouched, limits: this.#callLimits });
    const drain = new AttemptCollector(this.#demands, {
      gate,
      // For pass-through output and for recordings the token count is not evaluated.
      countsPrompt:
        this.#agent.toolMode === "native" &&
        !this.#agent.untouched &&
        !this.#conversation.shownTools &&
        this.#chosen.onToolsDropped !== undefined,
    });
    await this.#agent.attempt(this.#conversation, this.#signal, (events) => {
      for (const event of events) this.#pass(event, drain);
      return this.#outbox.flush();
    });
    if (this.#outbox.isDone) return false;
    const surplus = gate.surplus();
    if (surplus) this.#tell({ type: "format-issue", issue: surplus });
    const result = this.#judge(drain.result());
    if (result.toolsDropped !== undefined) this.#chosen.onToolsDropped?.(result.toolsDropped);
    const decision = this.#decide(result);
    switch (decision.type) {
      case "accept":
        this.#accept(result, decision.as, gate);
        return false;
      case "fail":
        for (const event of this.#outlet.abandon()) this.#tell(event);
        this.#tell({ type: "turn-failed", failure: decision.failure });
        return false;
      case "ask-again":
        this.#earlier.push(result);
        this.#askAgain(decision);
        this.#reason = decision.reason;
        return true;
      case "ask-for-answer":
        this.#earlier.push(result);
        this.#outlet.askAgain();
        this.#conversation = askedForAnswer(this.#conversation);
        this.#reason = decision.reason;
        return true;
      case "next-route":
        this.#chosen.nextRoute?.();
        this.#outlet.useNextRoute();
        this.#turnUsage.rerouted();
        this.#reason = decision.reason;
        return true;
      default:
        return decision satisfies never;
    }
  }

  #decide(result: AttemptResult): AttemptDecision {
    const { onInvalid, tools, output } = this.#conversation;
    return decideAttempt(result, {
      strategy: this.#strategy,
      earlier: this.#earlier,
      textSent: this.#outlet.textSent,
      textLeft: this.#outlet.textLeft,
      hasNextRoute: this.#chosen.nextRoute !== undefined,
      onInvalid: onInvalid ?? this.#agent.onInvalid,
      tools,
      output,
      emulate: this.#agent.emulate,
      untouched: this.#agent.untouched,
    });
  }

  /** Uses the repaired history. Corrections of the gateway are checked too. */
  #goUp({ messages, repairs }: MendedHistory): void {
    if (repairs.length === 0) return;
    const quotable = { messages: this.#conversation.messages, ...this.#conversation.quotable };
    this.#conversation = { ...this.#conversation, messages, quotable };
    this.#historyRepairs = [...new Set([...this.#historyRepairs, ...repairs])];
  }

  #tell(event: TurnEvent): void {
    this.#outbox.ready.push(event);
  }

  #pass(event: AttemptEvent, drain: AttemptCollector): void {
    const refusal = drain.add(event);
    switch (event.type) {
      case "opened":
        this.#opened(event);
        return;
      case "text":
        if (this.#outlet.text(event.text, event.extra)) {
          const { text, extra } = event;
          this.#outbox.ready.push(extra ? { type: "text-delta", text, extra } : { type: "text-delta", text });
        }
        return;
      case "reasoning":
        if (this.#outlet.reasoning(event.text)) this.#tell({ type: "reasoning-delta", text: event.text });
        return;
      case "call":
        if (refusal === "beyond") return;
        this.#tell(refusal ? this.#issue(refusal) : { type: "tool-call", call: event.call });
        return;
      case "issue":
        this.#tell(this.#issue(event.issue));
        return;
      case "dropped":
        this.#outlet.dropped(event.raw);
        return;
      case "refused":
        this.#tell(this.#issue(event.refused.issue));
        return;
      case "end":
        this.#turnUsage.addEnd(event);
        return;
      case "failed":
        return;
      default:
        event satisfies never;
    }
  }

  #issue(issue: FormatIssue): TurnEvent {
    const { code, callId, raw } = issue;
    if (raw !== undefined && (isCallIssue(code) || callId !== undefined)) this.#outlet.unreadable(raw);
    return { type: "format-issue", issue };
  }

  #opened(event: Extract<AttemptEvent, { type: "opened" }>): void {
    this.#turnUsage.opened(event);
    const { toolMode } = this.#agent;
    if (this.#announced !== toolMode) this.#tell(createTurnStart(this.#agent, event, this.#historyRepairs));
    this.#announced = toolMode;
    if (this.#reason !== undefined) this.#tell({ type: "attempt", n: this.#turnUsage.attempts, reason: this.#reason });
  }

  /** Adds the errors that only the end of an attempt shows: a required call is missing, or the answer has the wrong format. */
  #judge(result: AttemptResult): AttemptResult {
    if (result.failure || result.declined || result.calls.length > 0) return result;
    // An issue of a call explains a missing call and a missing answer.
    const failed = result.issues.some(({ code }) => isCallIssue(code));
    const missing = failed ? undefined : findMissingCall(this.#demands);
    if (missing) {
      this.#tell({ type: "format-issue", issue: missing });
      return { ...result, issues: [...result.issues, missing] };
    }
    if (this.#demands.output.type === "text") return result;
    this.#output ??= new OutputNormalizer(this.#demands.output);
    const normalized = this.#output.normalize(this.#outlet.heldText);
    if (normalized.type === "ok") this.#outlet.replaceHeld(normalized.text);
    const remark = normalized.type === "ok" ? uncheckedAnswer(normalized.repairs) : undefined;
    if (remark) this.#tell({ type: "format-issue", issue: remark });
    if (normalized.type === "ok" || failed) return result;
    this.#tell({ type: "format-issue", issue: wrongForm(normalized.reason) });
    return { ...result, invalidOutput: normalized.reason };
  }

  #askAgain({ correction, withoutTools, callAgain }: Extract<AttemptDecision, { type: "ask-again" }>): void {
    this.#outlet.askAgain();
    const { messages } = this.#conversation;
    this.#conversation = {
      ...this.#conversation,
      messages: [...messages, ...correction],
      ...(withoutTools && WITHOUT_TOOLS),
      callAgain,
    };
  }

  #accept({ calls, refused, declined, finishReason }: AttemptResult, as: Acceptance, gate: CallPolicy): void {
    // Text next to a refusal was not checked against the required format.
    if (declined && this.#demands.output.type !== "text") this.#outlet.replaceHeld("");
    const asked = as === "calls-as-they-came" ? refused.map(createUncheckedCall) : [];
    const passed = asked.filter((call) => gate.letsPass(call));
    for (const call of passed) this.#tell({ type: "tool-call", call });
    const called = calls.length + passed.length > 0;
    const released = this.#outlet.release(asked.length > passed.length ? "words" : as, called);
    for (const event of released) this.#tell(event);
    this.#tell(this.#turnUsage.end(finishReason, called));
  }
}

function askedForAnswer(conversation: AttemptConversation): AttemptConversation {
  return { ...conversation, messages: askForAnswer(conversation.messages, conversation.output), callAgain: false };
}

/** For a question about the answer's format only: the model sees no tools and must not call any. */
const WITHOUT_TOOLS = { toolChoice: { type: "none" }, shownTools: [] } as const satisfies Partial<AttemptConversation>;

/** Pass-through output has no demands. */
const NO_DEMANDS = {
  toolChoice: { type: "auto" },
  parallelToolCalls: undefined,
  output: { type: "text" },
} as const satisfies Partial<AttemptConversation>;

const CANCELLED = createFailure("cancelled", "The request was cancelled before its answer was complete.");

/** Uses the reason of the signal if it explains the end. */
function stopped({ reason }: AbortSignal): PostelError {
  return reason instanceof PostelError ? reason : new PostelError(CANCELLED);
}

function wrongForm(reason: string): FormatIssue {
  return { code: "invalid-output", message: `The answer does not have the form that was asked for: ${reason}` };
}

/** The issue that a part of the schema could not be checked. */
function uncheckedAnswer(repairs: readonly string[]): FormatIssue | undefined {
  const code = "schema-unchecked";
  if (repairs.includes(code))
    return { code, message: "Not every rule of its schema could be held against the answer." };
  if (!repairs.includes("format-unmet")) return undefined;
  return {
    code,
    message: "A text of the answer is not in the `format` that its schema names, which is no rule of JSON Schema.",
  };
}
