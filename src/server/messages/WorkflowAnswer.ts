// Encodes the result of a workflow run: non-streaming, or as events with the complete result at the end.
import type { Response } from "express";
import type { AnswerSummary } from "../../core/events/AnswerSummary.ts";
import type { Collected } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import { getOutcomeInfo } from "../../core/runs/outcomes.ts";
import { wireUsage } from "../apis/chatCompletions/completion.ts";
import { buildErrorBody } from "../apis/chatCompletions/errorBody.ts";
import { toRunEventJson } from "../apis/chatCompletions/runEventJson.ts";
import type { AnswerEncoder, StreamEncoder } from "../apis/FrontApi.ts";
import { toInterruptJson } from "./interruptJson.ts";
import { wireStoredMessage } from "./recordJson.ts";
import { RunMessages } from "./runMessages.ts";

export class WorkflowAnswer {
  readonly messages = new RunMessages();
  readonly #run: string;
  #interrupt: Interrupt | undefined;
  #turns = 0;

  constructor(run: string) {
    this.#run = run;
  }

  add(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.messages.add(event);
      if (event.type === "interrupt") this.#interrupt ??= event.interrupt;
      if (event.type === "run-end") this.#turns = event.turns;
    }
  }

  /** The status of a non-streaming answer shows how the run ended. */
  encoder(response: Response): AnswerEncoder {
    return {
      whole: ([collected]: readonly [Collected, ...Collected[]]) => {
        response.status(resolveStatus(collected));
        return this.#body(collected);
      },
      stream: (): StreamEncoder => ({
        events: (events) => events.map((event) => frame(toRunEventJson(event))).join(""),
        end: async ([outline]) => frame({ type: "workflow-end", ...this.#body(outline) }),
        failed: async (cause) => frame({ ...buildErrorBody(cause) }),
      }),
    };
  }

  #body({ response, outcome = "failed", end }: AnswerSummary): JsonObject {
    const interrupt = this.#interrupt;
    if (outcome === "awaiting-human" && interrupt)
      return { run_id: this.#run, outcome, interrupt: toInterruptJson(interrupt) };
    const { error } = getOutcomeInfo(outcome);
    return {
      response: response ?? null,
      iterations: this.#turns,
      messages: this.messages.all.map(wireStoredMessage),
      run_id: this.#run,
      usage: end?.usage ? wireUsage(end.usage) : null,
      outcome,
      ...(error !== undefined && { error }),
    };
  }
}

/** 202 if the run waits for an approver, 504 if it timed out, 200 for every other outcome. */
function resolveStatus({ outcome }: AnswerSummary): number {
  if (outcome === "awaiting-human") return 202;
  return outcome === "timeout" ? 504 : 200;
}

/** JSON text contains no line break, so no value can forge a field or an event. */
function frame(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
