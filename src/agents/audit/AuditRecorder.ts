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
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { ToolCallEnd } from "../../tools/execution/executeToolCall.ts";
import type { Tool } from "../../tools/Tool.ts";

export interface AuditRecorderOptions {
  readonly trail: AuditLog;
  /** Amount of arguments, approvers' texts and results that the log contains. */
  readonly textPolicy: Pick<AuditConfig, "arguments" | "results">;
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
  readonly decidedBy: string;
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
  recordRequest(state: RunState): Promise<void> {
    const { agent, sessionId: session, request } = state;
    const run = { ...ofRun(state), by: named(request.caller.name), agent: named(agent) };
    const event: AuditEvent = { type: "run-asked", ...run, ...(session !== undefined && { session }) };
    return this.#recordOrThrow("recordWithoutSync", [event], "the run was not begun");
  }

  /** Before: these calls are about to run. `approved`: ids of the calls that an approver allowed. */
  recordStart(
    state: RunState,
    calls: readonly ToolCall[],
    tools: Tools & { readonly approved?: ReadonlySet<string> },
  ): Promise<void> {
    const events = calls.map(
      (call): AuditEvent => ({
        type: "tool-began",
        ...ofCall(state, call, tools),
        arguments: this.#toAudited(call.arguments),
        ...(isOnce(tools.get(call.name)) && { once: true as const }),
        ...(tools.approved?.has(call.id) && { approval: true }),
      }),
    );
    return this.#recordOrThrow("record", events, "its tools were not run");
  }

  recordEnd(state: RunState, call: ToolCall, tools: Tools, { outcome, ms, content }: ToolCallEnd): Promise<void> {
    const { textPolicy: words, redact } = this.#options;
    const result = content === undefined ? undefined : toAuditedText(content, words.results, redact);
    const end = { outcome, ms: Math.round(ms), ...(result && { result }) };
    return this.#recordOrPostpone([{ type: "tool-ended", ...ofCall(state, call, tools), ...end }]);
  }

  /** After: the process ended while these calls ran, and their outcome is unknown. */
  recordLost(state: RunState, calls: readonly ToolCall[], tools: Tools): Promise<void> {
    return this.#recordOrPostpone(
      calls.map((call): AuditEvent => ({ type: "tool-lost", ...ofCall(state, call, tools) })),
    );
  }

  /** After: the run has ended, or waits. */
  recordRunEnd(run: RunState | OwnerKey, outcome: RunOutcome): Promise<void> {
    const runFields = "request" in run ? ofRun(run) : { owner: run.owner, run: run.id };
    return this.#recordOrPostpone([{ type: "run-ended", ...runFields, outcome }]);
  }

  /** Wraps the sink of a run that is not stored, and records its end before the client reads it. */
  turnCollector(run: RunState, onEvents: EventSink<RunEvent>): EventSink<RunEvent> {
    return async (events) => {
      const end = events.find((event) => event.type === "run-end");
      if (end) await this.recordRunEnd(run, end.outcome);
      let signal: SinkSignal = "enough";
      try {
        signal = await onEvents(events);
      } finally {
        // Without an end event, the client has cancelled the run.
        if (signal === "enough" && !end) await this.recordRunEnd(run, "cancelled");
      }
      return signal;
    };
  }

  /** Before: a decision is about to be applied. */
  recordDecision({ state, interrupt, decision, decidedBy: by }: RecordedDecision): Promise<void> {
    const { id, call, plan } = interrupt;
    const decisionText = extractDecisionText(decision);
    const event: AuditEvent = {
      ...{ type: "decided", ...ofCall(state, call), by: named(by), interrupt: id, decision: decision.type },
      ...(plan && { plan: plan.hash, arguments: this.#toAudited(plan.arguments) }),
      ...(decisionText !== undefined && { words: this.#toAudited(decisionText) }),
    };
    return this.#recordOrThrow("record", [event], "the decision does not count");
  }

  /** After: a decision was refused. */
  recordRefusal(
    { owner, id }: OwnerKey,
    { decision, decidedBy: by }: Pick<RecordedDecision, "decision" | "decidedBy">,
    code: FailureCode,
  ): Promise<void> {
    const fields = { owner, by: named(by), interrupt: named(id), decision: decision.type };
    return this.#recordOrPostpone([{ type: "decision-refused", ...fields, code }]);
  }

  /** After: a stored record of the run is damaged. @param record name of the record, for the operator */
  damaged({ owner, id }: OwnerKey, record: string): Promise<void> {
    return this.#recordOrPostpone([{ type: "damaged", owner, run: id, record: named(record) }]);
  }

  /** After: the run's owner asked to cancel it. */
  cancelling({ owner, id }: OwnerKey): Promise<void> {
    return this.#recordOrPostpone([{ type: "cancel-asked", owner, run: id }]);
  }

  #toAudited(text: string) {
    const { textPolicy: words, redact } = this.#options;
    return toAuditedText(text, words.arguments, redact);
  }

  async #recordOrThrow(method: keyof AuditLog, events: readonly AuditEvent[], consequence: string): Promise<void> {
    try {
      await this.#write(method, events);
    } catch (cause) {
      const message = `The audit record could not be written, so ${consequence}: ${toFailure(cause).message}`;
      throw new PostelError(createFailure("run_not_saved", message), { cause });
    }
  }

  async #recordOrPostpone(events: readonly AuditEvent[]): Promise<void> {
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

  async #write(method: keyof AuditLog, events: readonly AuditEvent[]): Promise<void> {
    const owed = this.#owed;
    this.#owed = [];
    try {
      await this.#options.trail[method]([...owed, ...events]);
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
