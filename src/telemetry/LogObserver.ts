// Converts observations to log lines with levels and fields. Never logs prompts, answers, arguments or results.
import type { Logger } from "pino";
import type { ContextEvent, RunEvent } from "../core/events/events.ts";
import type { FormatIssue } from "../core/events/issues.ts";
import type { Failure } from "../core/failures.ts";
import type { Observation, Observer } from "../core/ports.ts";
import type { Interrupt } from "../core/runs/interrupts.ts";
import { MEMORY_STORE_NOTICE } from "./memoryStoreNotice.ts";
import { RequestSummary } from "./RequestSummary.ts";
import { RunningRequests } from "./RunningRequests.ts";

type CourseEvent = Extract<
  RunEvent,
  { type: "attempt" | "handoff" | `task-${string}` | "plan" | "reflection" | "extraction" | "run-start" }
>;

export class LogObserver implements Observer {
  readonly #logger: Logger;
  readonly #running = new RunningRequests();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  observe(observation: Observation): void {
    if (this.#running.handle(observation)) return;
    switch (observation.type) {
      case "run-event":
        this.#runEvent(observation.run, observation.event);
        return;
      case "request":
        this.#request(observation);
        return;
      case "exchange": {
        const { run, key, status, ms } = observation;
        this.#logger.info({ run, key, status, ms: Math.round(ms) }, "exchange");
        return;
      }
      case "tool-call": {
        const { run, tool, outcome, ms, chars, note } = observation;
        this.#logger.info({ run, tool, outcome, ms: Math.round(ms), chars, note }, "tool-call");
        return;
      }
      case "retry":
        this.#retry(observation);
        return;
      case "evidence": {
        const { key, evidence } = observation;
        this.#logger.info({ key, refused: evidence.refused, reason: evidence.reason }, "evidence");
        return;
      }
      case "request-received":
      case "shown-tools":
      case "parsed":
        return;
      case "recording-failed": {
        const { lost, reason } = observation;
        this.#logger.error({ lost, reason: clip(reason) }, "recording-failed");
        return;
      }
      case "tool-server":
        this.#server(observation);
        return;
      case "store-in-memory":
        this.#logger.warn({ todo: MEMORY_STORE_NOTICE }, "store-in-memory");
        return;
      case "audit-head":
        this.#logger.info({ head: observation.head }, "audit-head");
        return;
      case "failure":
        this.#failure(observation.run, observation.failure);
        return;
      default:
        observation satisfies never;
    }
  }

  #request(observation: Extract<Observation, { type: "request" }>): void {
    const facts = this.#running.addRun(observation) ?? EMPTY_SUMMARY;
    this.#logger.info(facts.fields(observation, clip(observation.path)), "request");
  }

  #runEvent(run: string, event: RunEvent): void {
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
      // The line of the request contains their facts.
      case "turn-end":
      case "run-end":
        return;
      case "turn-start":
        this.#logger.debug({ run, model: event.model, toolMode: event.toolMode, row: event.row }, "turn-start");
        return;
      case "tool-call":
      case "tool-start": {
        const { id, name, origin, repairs } = event.call;
        this.#logger.debug({ run, call: id, tool: name, origin, repairs }, event.type);
        return;
      }
      case "tool-result":
        this.#logger.debug({ run, call: event.callId, tool: event.name, isError: event.isError }, "tool-result");
        return;
      case "nested":
        this.#nested(run, event);
        return;
      case "interrupt":
        this.#interrupt(run, event.interrupt);
        return;
      case "format-issue":
        this.#issue(run, event.issue);
        return;
      case "turn-failed":
        this.#failure(run, event.failure);
        return;
      case "context-warning":
      case "context-trimmed":
      case "summary":
        this.#contextEvent(run, event);
        return;
      case "attempt":
      case "handoff":
      case "task-start":
      case "task-end":
      case "plan":
      case "reflection":
      case "extraction":
      case "run-start":
        this.#courseEvent(run, event);
        return;
      case "run-resumed":
        this.#logger.info({ run, turn: event.turn }, "run-resumed");
        return;
      default:
        event satisfies never;
    }
  }

  #retry({ run, key, reason }: Extract<Observation, { type: "retry" }>): void {
    this.#logger.warn({ run, key, reason }, "retry");
  }

  #server({ server, state, detail }: Extract<Observation, { type: "tool-server" }>): void {
    this.#logger[state === "up" ? "info" : "warn"]({ server, state, detail: clip(detail) }, "tool-server");
  }

  #issue(run: string, { code, family, tool }: FormatIssue): void {
    this.#logger.warn({ run, code, family, tool }, "format-issue");
  }

  #courseEvent(run: string, event: CourseEvent): void {
    switch (event.type) {
      case "attempt":
        this.#logger.info({ run, n: event.n, reason: event.reason }, "attempt");
        return;
      case "handoff":
        this.#logger.info({ run, from: event.from, to: event.to }, "handoff");
        return;
      case "run-start":
        this.#logger.debug({ run, runId: event.runId }, event.type);
        return;
      case "task-start":
        this.#logger.debug({ run, task: event.task, tool: event.name }, event.type);
        return;
      case "task-end":
        this.#logger.info({ run, task: event.task, tool: event.name, isError: event.isError }, event.type);
        return;
      case "plan":
      case "reflection":
      case "extraction":
        this.#logAside(run, event);
        return;
      default:
        event satisfies never;
    }
  }

  #contextEvent(run: string, event: ContextEvent): void {
    switch (event.type) {
      case "context-warning": {
        const { level, tokens, window } = event;
        const fields = { run, tokens, contextTokens: window.tokens, source: window.source };
        this.#logger[level === "info" ? "info" : "warn"](fields, "context-warning");
        return;
      }
      case "context-trimmed": {
        const { type: _, ...counts } = event;
        this.#logger.warn({ run, ...counts }, "context-trimmed");
        return;
      }
      case "summary": {
        const { type: _, failure, ...counts } = event;
        this.#logger[failure ? "warn" : "info"]({ run, ...counts, failure: failure?.code }, "summary");
        return;
      }
      default:
        event satisfies never;
    }
  }

  #logAside(run: string, event: Extract<RunEvent, { type: "plan" | "reflection" | "extraction" }>): void {
    if (event.type === "plan") this.#logger.debug({ run }, event.type);
    else if (event.type === "reflection") this.#logger.info({ run, confirmed: event.confirmed }, event.type);
    else this.#logger.info({ run, ...("missing" in event && { missing: event.missing }) }, event.type);
  }

  /** A nested run has no request line that could report its end. */
  #nested(run: string, { agent, callId, event }: Extract<RunEvent, { type: "nested" }>): void {
    if (event.type === "run-end")
      this.#logger.info({ run, agent, call: callId, outcome: event.outcome, turns: event.turns }, "nested");
    else this.#runEvent(run, event);
  }

  #interrupt(run: string, { id, type, call }: Interrupt): void {
    this.#logger.info({ run, interrupt: id, of: type, tool: call.name }, "interrupt");
  }

  /** Logs failures that the operator must fix as errors, and failures of the caller as information. */
  #failure(run: string, { fault, code, message }: Failure): void {
    const level = fault === "operator" ? "error" : fault === "caller" ? "info" : "warn";
    this.#logger[level]({ run, fault, code }, clip(message));
  }
}

const EMPTY_SUMMARY = new RequestSummary();
/** Characters of one field. */
const LONGEST_MESSAGE = 8_192;

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
