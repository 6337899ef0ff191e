// Turns what happened into log lines. Decides levels and fields; never logs what was said: prompts, answers, arguments and results stay out.
import type { Logger } from "pino";
import type { RunEvent } from "../core/events.ts";
import type { Failure } from "../core/failures.ts";
import type { Observation, Observer } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";

/** Requests that are under way whose facts are kept at once; of the oldest beyond them the line says less. */
const MAX_REQUESTS = 1_000;

/** What the line about a request says of what came of it. */
interface Facts {
  /** The name that the caller sent, and that of the model which was asked. */
  readonly asked?: string | undefined;
  readonly model?: string | undefined;
  /** Milliseconds of parsing. */
  readonly parseMs?: number | undefined;
}

export class LogObserver implements Observer {
  readonly #logger: Logger;
  readonly #facts = new Map<string, Facts>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  observe(observation: Observation): void {
    switch (observation.type) {
      case "run-event":
        this.#runEvent(observation.run, observation.event);
        return;
      case "request": {
        const { run, method, path, status, ms, aborted, caller } = observation;
        const { asked, model, parseMs } = this.#facts.get(run) ?? {};
        this.#facts.delete(run);
        const times = { ms: Math.round(ms), ...(parseMs !== undefined && { parseMs: Math.round(parseMs * 10) / 10 }) };
        const line = { run, caller, method, path: clip(path), asked, model, status, ...times, aborted };
        this.#logger.info(line, "request");
        return;
      }
      case "exchange": {
        const { run, key, status, ms } = observation;
        this.#logger.info({ run, key, status, ms: Math.round(ms) }, "exchange");
        return;
      }
      case "retry": {
        const { run, key, reason } = observation;
        this.#logger.warn({ run, key, reason }, "retry");
        return;
      }
      case "parsed": {
        const { run, ms } = observation;
        this.#note(run, { parseMs: (this.#facts.get(run)?.parseMs ?? 0) + ms });
        return;
      }
      case "evidence": {
        const { key, evidence } = observation;
        this.#logger.info({ key, refused: evidence.refused, reason: evidence.reason }, "evidence");
        return;
      }
      case "asked": {
        const { model } = observation.request.body;
        if (typeof model === "string") this.#note(observation.run, { asked: model });
        return;
      }
      case "unrecorded": {
        const { lost, reason } = observation;
        this.#logger.error({ lost, reason: clip(reason) }, "unrecorded");
        return;
      }
      case "failure":
        this.#failure(observation.run, observation.failure);
        return;
      default:
        observation satisfies never;
    }
  }

  #note(run: string, facts: Facts): void {
    setYoungest(this.#facts, { key: run, value: { ...this.#facts.get(run), ...facts }, most: MAX_REQUESTS });
  }

  #runEvent(run: string, event: RunEvent): void {
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
        return;
      case "turn-start":
        this.#note(run, { model: event.model });
        this.#logger.debug({ run, model: event.model, toolMode: event.toolMode, row: event.row }, "turn-start");
        return;
      case "tool-call":
      case "tool-start": {
        const { id, name, origin, repairs } = event.call;
        this.#logger.debug({ run, call: id, tool: name, origin, repairs }, event.type);
        return;
      }
      case "tool-result":
        this.#logger.info({ run, call: event.callId, tool: event.name, isError: event.isError }, "tool-result");
        return;
      case "format-issue": {
        const { code, family, tool } = event.issue;
        this.#logger.warn({ run, code, family, tool }, "format-issue");
        return;
      }
      case "attempt":
        this.#logger.info({ run, n: event.n, reason: event.reason }, "attempt");
        return;
      case "turn-end": {
        const { finishReason, upstreamFinishReason, attempts, retries, usage } = event;
        const tokens = usage?.totalTokens;
        this.#logger.info({ run, finishReason, upstreamFinishReason, attempts, retries, tokens }, "turn-end");
        return;
      }
      case "turn-failed":
        this.#failure(run, event.failure);
        return;
      case "run-start":
        this.#logger.debug({ run, runId: event.runId }, "run-start");
        return;
      case "run-end":
        this.#logger.info({ run, outcome: event.outcome, limit: event.limit, turns: event.turns }, "run-end");
        return;
      default:
        event satisfies never;
    }
  }

  /** What the operator must act on is an error; what a caller did wrong is none of the gateway's trouble. */
  #failure(run: string, { fault, code, message }: Failure): void {
    const level = fault === "operator" ? "error" : fault === "caller" ? "info" : "warn";
    this.#logger[level]({ run, fault, code }, clip(message));
  }
}

/** Characters of one field. */
const LONGEST_MESSAGE = 8_192;

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
