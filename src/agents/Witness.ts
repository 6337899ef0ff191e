// What is told to the audit record of runs, their calls and people's decisions: when, and in which words. Knows no store and judges nothing.
import type { AuditEvent, AuditTrail } from "../core/audit.ts";
import { auditedText } from "../core/auditedText.ts";
import type { AuditConfig } from "../core/configuration.ts";
import type { RunEvent } from "../core/events.ts";
import { type FailureCode, failure, PostelError } from "../core/failures.ts";
import type { Decision, InterruptRecord } from "../core/interrupts.ts";
import type { ToolCall } from "../core/messages.ts";
import type { RunOutcome } from "../core/outcomes.ts";
import type { Observer, Redact } from "../core/ports.ts";
import type { RunState } from "../core/run.ts";
import type { OwnedKey } from "../core/stores.ts";
import type { Take, Taken } from "../core/take.ts";
import { escapeUnseen } from "../core/unseen.ts";
import type { CallEnd } from "../tools/executeToolCall.ts";
import type { Tool } from "../tools/Tool.ts";
import { failureOf } from "./failureOf.ts";

export interface WitnessOptions {
  readonly trail: AuditTrail;
  /** What the record has of the arguments of calls and of what people write, and of results. */
  readonly words: Pick<AuditConfig, "arguments" | "results">;
  readonly redact: Redact;
  readonly observer: Observer;
}

/** Where tools are found: those that the run of the call may use. */
interface Tools {
  get(name: string): Pick<Tool, "registeredAs" | "idempotent"> | undefined;
}

/** A person's word on what a run asks. */
export interface WitnessedDecision {
  /** The run that asks. */
  readonly state: RunState;
  readonly interrupt: InterruptRecord;
  readonly decision: Decision;
  /** Name of the caller. */
  readonly by: string;
}

/**
 * Methods of what is about to be done reject, with `run_not_saved`, where it could not be written: then it is not done. Those of what
 * was done never reject; what they could not write is written together with what is written next.
 */
export class Witness {
  readonly #options: WitnessOptions;
  #owed: readonly AuditEvent[] = [];

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** The run was planned, and is about to begin. */
  asked(state: RunState): Promise<void> {
    const { agent, sessionId: session, request } = state;
    const run = { ...ofRun(state), by: named(request.caller.name), agent: named(agent) };
    const event: AuditEvent = { type: "run-asked", ...run, ...(session !== undefined && { session }) };
    return this.#must("note", [event], "the run was not begun");
  }

  /** All of these calls are about to run. `approved`: the ids of those that a person decides about. */
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

  ended(state: RunState, call: ToolCall, tools: Tools, { outcome, ms, content }: CallEnd): Promise<void> {
    const { words, redact } = this.#options;
    const result = content === undefined ? undefined : auditedText(content, words.results, redact);
    const end = { outcome, ms: Math.round(ms), ...(result && { result }) };
    return this.#may([{ type: "tool-ended", ...ofCall(state, call, tools), ...end }]);
  }

  /** They had begun when the process ended that the run was in, and nothing is known of their outcome. */
  lost(state: RunState, calls: readonly ToolCall[], tools: Tools): Promise<void> {
    return this.#may(calls.map((call): AuditEvent => ({ type: "tool-lost", ...ofCall(state, call, tools) })));
  }

  /** The run is over, or waits. */
  over(run: RunState | OwnedKey, outcome: RunOutcome): Promise<void> {
    const of = "request" in run ? ofRun(run) : { owner: run.owner, run: run.id };
    return this.#may([{ type: "run-ended", ...of, outcome }]);
  }

  /** Hears a run that is kept nowhere: whoever has heard its end finds it in the record. */
  hearing(run: RunState, take: Take<RunEvent>): Take<RunEvent> {
    return async (events) => {
      const end = events.find((event) => event.type === "run-end");
      if (end) await this.over(run, end.outcome);
      let taken: Taken = "enough";
      try {
        taken = await take(events);
      } finally {
        // One that ends without a word was left by its reader.
        if (taken === "enough" && !end) await this.over(run, "cancelled");
      }
      return taken;
    };
  }

  /** Somebody's word is about to count. */
  decided({ state, interrupt, decision, by }: WitnessedDecision): Promise<void> {
    const { id, call, plan } = interrupt;
    const written = writtenIn(decision);
    const event: AuditEvent = {
      ...{ type: "decided", ...ofCall(state, call), by: named(by), interrupt: id, decision: decision.type },
      ...(plan && { plan: plan.hash, arguments: this.#written(plan.arguments) }),
      ...(written !== undefined && { words: this.#written(written) }),
    };
    return this.#must("record", [event], "the decision does not count");
  }

  /** Somebody's word counts for nothing. */
  refused(
    { owner, id }: OwnedKey,
    { decision, by }: Pick<WitnessedDecision, "decision" | "by">,
    code: FailureCode,
  ): Promise<void> {
    const word = { owner, by: named(by), interrupt: named(id), decision: decision.type };
    return this.#may([{ type: "decision-refused", ...word, code }]);
  }

  /** A record that the run would go on from is not what the gateway wrote. @param record for a person: which one */
  damaged({ owner, id }: OwnedKey, record: string): Promise<void> {
    return this.#may([{ type: "damaged", owner, run: id, record: named(record) }]);
  }

  /** The run's owner wants it to end. */
  cancelling({ owner, id }: OwnedKey): Promise<void> {
    return this.#may([{ type: "cancel-asked", owner, run: id }]);
  }

  #written(text: string) {
    const { words, redact } = this.#options;
    return auditedText(text, words.arguments, redact);
  }

  async #must(how: keyof AuditTrail, events: readonly AuditEvent[], instead: string): Promise<void> {
    try {
      await this.#write(how, events);
    } catch (cause) {
      const message = `The audit record could not be written, so ${instead}: ${failureOf(cause).message}`;
      throw new PostelError(failure("run_not_saved", message), { cause });
    }
  }

  async #may(events: readonly AuditEvent[]): Promise<void> {
    try {
      await this.#write("note", events);
    } catch (cause) {
      const isFirst = this.#owed.length === 0;
      this.#owed = [...this.#owed, ...events].slice(-MOST_OWED);
      if (!isFirst) return;
      const message = `What was done could not be written to the audit record, and will be with what comes next: ${failureOf(cause).message}`;
      const run = events.find((event) => "run" in event)?.run ?? "gateway";
      this.#options.observer.observe({ type: "failure", run, failure: failure("run_not_saved", message) });
    }
  }

  async #write(how: keyof AuditTrail, events: readonly AuditEvent[]): Promise<void> {
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

/** A tool that there is, and whose calls may not be repeated. */
function isOnce(tool: ReturnType<Tools["get"]>): boolean {
  return tool !== undefined && tool.idempotent !== true;
}

/** What may be owed: of more the oldest is lost, as it is where the process ends. */
const MOST_OWED = 1_000;
/** Characters of a name. */
const NAME_CHARS = 200;

function ofRun({ id: run, request, within }: RunState) {
  return { owner: request.caller.name, run, ...(within !== undefined && { within }) };
}

function ofCall(state: RunState, { id, name }: ToolCall, tools?: Tools) {
  return { ...ofRun(state), callId: named(id), tool: named(tools?.get(name)?.registeredAs ?? name) };
}

/** Nothing in it is unseen, and nothing can be hidden behind it. */
function named(name: string): string {
  return escapeUnseen(name.slice(0, NAME_CHARS)).replaceAll(/[\n\t]/g, " ");
}

function writtenIn(decision: Decision): string | undefined {
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
