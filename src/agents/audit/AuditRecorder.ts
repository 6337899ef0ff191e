// Writes the events of runs, calls and decisions to the audit log.
import type { AuditEvent, AuditLog } from "../../core/audit/audit.ts";
import { toAuditedText } from "../../core/audit/auditedText.ts";
import type { AuditConfig } from "../../core/config/configuration.ts";
import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, type FailureCode, PostelError, toFailure } from "../../core/failures.ts";
import { escapeInvisible } from "../../core/json/escapeInvisible.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Observer, Redact } from "../../core/ports.ts";
import type { Decision, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { RunOutcome } from "../../core/runs/outcomes.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { OwnerKey } from "../../core/stores.ts";
import type { ToolCallEnd } from "../../tools/execution/executeToolCall.ts";
import type { Tool } from "../../tools/Tool.ts";

export interface AuditRecorderOptions {
  readonly trail: AuditLog;
  /** Amount of arguments, approvers' texts and results that the log contains. */
  readonly words: Pick<AuditConfig, "arguments" | "results">;
  readonly redact: Redact;
  readonly observer: Observer;
}

/** The tools that the run of the call may use. */
interface Tools {
  get(name: string): Pick<Tool, "registeredAs" | "idempotent"> | undefined;
}

/** An approver's decision about an interrupt. */
export interface RecordedDecision {
  /** The run that waits for the decision. */
  readonly state: RunState;
  readonly interrupt: InterruptRecord;
  readonly decision: Decision;
  /** Name of the caller who decided. */
  readonly by: string;
}

/**
 * "Before" methods reject with `run_not_saved` if the entry cannot be written, so that the action does not happen
 * unaudited. "After" methods never reject; entries that could not be written are written with the next ones.
 */
export class AuditRecorder {
  readonly #options: AuditRecorderOptions;
  #owed: readonly AuditEvent[] = [];

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
  }

  /** Before: the run was planned and is about to begin. */
  asked(state: RunState): Promise<void> {
    const { agent, sessionId: session, request } = state;
    const run = { ...ofRun(state), by: named(request.caller.name), agent: named(agent) };
    const event: AuditEvent = { type: "run-asked", ...run, ...(session !== undefined && { session }) };
    return this.#must("recordWithoutSync", [event], "the run was not begun");
  }

  /** Before: these calls are about to run. `approved`: ids of the calls that an approver allowed. */
  began(
    state: RunState,
    calls: readonly ToolCall[],
    tools: Tools & { readonly approved?: ReadonlySet<string> },
  ): Promise<void> {
    const events = calls.map(
      (call): AuditEvent => ({
        type: "tool-began",
        ...ofCall(state, call, tools),
        arguments: this.#written(call.arguments),
        ...(isOnce(tools.get(call.name)) && { once: true as const }),
        ...(tools.approved?.has(call.id) && { approval: true }),
      }),
    );
    return this.#must("record", events, "its tools were not run");
  }

  ended(state: RunState, call: ToolCall, tools: Tools, { outcome, ms, content }: ToolCallEnd): Promise<void> {
    const { words, redact } = this.#options;
    const result = content === undefined ? undefined : toAuditedText(content, words.results, redact);
    const end = { outcome, ms: Math.round(ms), ...(result && { result }) };
    return this.#may([{ type: "tool-ended", ...ofCall(state, call, tools), ...end }]);
  }

  /** After: the process ended while these calls ran, and their outcome is unknown. */
  lost(state: RunState, calls: readonly ToolCall[], tools: Tools): Promise<void> {
    return this.#may(calls.map((call): AuditEvent => ({ type: "tool-lost", ...ofCall(state, call, tools) })));
  }

  /** After: the run has ended, or waits. */
  over(run: RunState | OwnerKey, outcome: RunOutcome): Promise<void> {
    const of = "request" in run ? ofRun(run) : { owner: run.owner, run: run.id };
    return this.#may([{ type: "run-ended", ...of, outcome }]);
  }

  /** Wraps the sink of a run that is not stored, and records its end before the client reads it. */
  turnCollector(run: RunState, take: EventSink<RunEvent>): EventSink<RunEvent> {
    return async (events) => {
      const end = events.find((event) => event.type === "run-end");
      if (end) await this.over(run, end.outcome);
      let taken: SinkSignal = "enough";
      try {
        taken = await take(events);
      } finally {
        // Without an end event, the client has cancelled the run.
        if (taken === "enough" && !end) await this.over(run, "cancelled");
      }
      return taken;
    };
  }

  /** Before: a decision is about to be applied. */
  decided({ state, interrupt, decision, by }: RecordedDecision): Promise<void> {
    const { id, call, plan } = interrupt;
    const written = extractDecisionText(decision);
    const event: AuditEvent = {
      ...{ type: "decided", ...ofCall(state, call), by: named(by), interrupt: id, decision: decision.type },
      ...(plan && { plan: plan.hash, arguments: this.#written(plan.arguments) }),
      ...(written !== undefined && { words: this.#written(written) }),
    };
    return this.#must("record", [event], "the decision does not count");
  }

  /** After: a decision was refused. */
  refused(
    { owner, id }: OwnerKey,
    { decision, by }: Pick<RecordedDecision, "decision" | "by">,
    code: FailureCode,
  ): Promise<void> {
    const word = { owner, by: named(by), interrupt: named(id), decision: decision.type };
    return this.#may([{ type: "decision-refused", ...word, code }]);
  }

  /** After: a stored record of the run is damaged. @param record name of the record, for the operator */
  damaged({ owner, id }: OwnerKey, record: string): Promise<void> {
    return this.#may([{ type: "damaged", owner, run: id, record: named(record) }]);
  }

  /** After: the run's owner asked to cancel it. */
  cancelling({ owner, id }: OwnerKey): Promise<void> {
    return this.#may([{ type: "cancel-asked", owner, run: id }]);
  }

  #written(text: string) {
    const { words, redact } = this.#options;
    return toAuditedText(text, words.arguments, redact);
  }

  async #must(how: keyof AuditLog, events: readonly AuditEvent[], instead: string): Promise<void> {
    try {
      await this.#write(how, events);
    } catch (cause) {
      const message = `The audit record could not be written, so ${instead}: ${toFailure(cause).message}`;
      throw new PostelError(createFailure("run_not_saved", message), { cause });
    }
  }

  async #may(events: readonly AuditEvent[]): Promise<void> {
    try {
      await this.#write("recordWithoutSync", events);
    } catch (cause) {
      const isFirst = this.#owed.length === 0;
      this.#owed = [...this.#owed, ...events].slice(-MOST_OWED);
      if (!isFirst) return;
      const message = `An event could not be written to the audit log. It is written together with the next one: ${toFailure(cause).message}`;
      const run = events.find((event) => "run" in event)?.run ?? "gateway";
      this.#options.observer.observe({ type: "failure", run, failure: createFailure("run_not_saved", message) });
    }
  }

  async #write(how: keyof AuditLog, events: readonly AuditEvent[]): Promise<void> {
    const owed = this.#owed;
    this.#owed = [];
    try {
      await this.#options.trail[how]([...owed, ...events]);
    } catch (error) {
      this.#owed = [...owed, ...this.#owed].slice(-MOST_OWED);
      throw error;
    }
  }
}

/** Returns true if the tool exists and its calls must not be repeated. */
function isOnce(tool: ReturnType<Tools["get"]>): boolean {
  return tool !== undefined && tool.idempotent !== true;
}

/** Maximum number of unwritten entries. Beyond it the oldest is dropped; all are lost if the process ends. */
const MOST_OWED = 1_000;
/** Maximum number of characters of a name. */
const NAME_CHARS = 200;

function ofRun({ id: run, request, within }: RunState) {
  return { owner: request.caller.name, run, ...(within !== undefined && { within }) };
}

function ofCall(state: RunState, { id, name }: ToolCall, tools?: Tools) {
  return { ...ofRun(state), callId: named(id), tool: named(tools?.get(name)?.registeredAs ?? name) };
}

/** Escapes invisible characters and line breaks, and cuts a long name. */
function named(name: string): string {
  return escapeInvisible(name.slice(0, NAME_CHARS)).replaceAll(/[\n\t]/g, " ");
}

function extractDecisionText(decision: Decision): string | undefined {
  switch (decision.type) {
    case "edit":
      return JSON.stringify(decision.arguments);
    case "reject":
      return decision.reason;
    case "answer":
      return decision.response;
    case "approve":
    case "cancel":
      return undefined;
    default:
      return decision satisfies never;
  }
}
