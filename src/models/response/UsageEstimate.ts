// Estimates the usage of an answer by its characters if the upstream reports none.

import { stringifyCooperatively } from "../../core/async/stringifyCooperatively.ts";
import type { ModelEnd, ModelEvent, Usage } from "../../core/events/events.ts";
import type { JsonValue } from "../../core/messages.ts";
import { CHARS_A_TOKEN, countMessageChars } from "../../core/runs/budget.ts";
import type { ModelRequest } from "../ModelClient.ts";

export class UsageEstimate {
  readonly #request: ModelRequest;
  /** Characters of the answer. */
  #charCount = 0;

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  /** Returns the same events. An end without usage gets an estimate, marked as one, possibly after a wait. */
  push(events: readonly ModelEvent[]): readonly ModelEvent[] | Promise<readonly ModelEvent[]> {
    this.count(events);
    return events.some((event) => event.type === "end" && !event.usage) ? this.#estimated(events) : events;
  }

  count(events: readonly ModelEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case "text":
        case "reasoning":
          this.#charCount += event.text.length;
          break;
        case "call-fragment":
          this.#charCount += (event.name?.length ?? 0) + (event.arguments?.length ?? 0);
          break;
        case "opened":
        case "end":
        case "failed":
          break;
        default:
          event satisfies never;
      }
    }
  }

  /** Creates the end of an answer that was counted and has no other end. */
  async end(finishReason: string): Promise<ModelEnd> {
    return {
      type: "end",
      finishReason,
      usage: await estimateUsage(this.#request, this.#charCount),
      usageEstimated: true,
    };
  }

  async #estimated(events: readonly ModelEvent[]): Promise<readonly ModelEvent[]> {
    const usage = await estimateUsage(this.#request, this.#charCount);
    return events.map((event) => (event.type === "end" ? { ...event, usage, usageEstimated: true } : event));
  }
}

async function estimateUsage(request: ModelRequest, chars: number): Promise<Usage> {
  const promptTokens = tokens(await promptChars(request));
  const completionTokens = tokens(chars);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

async function promptChars({ messages, tools }: ModelRequest): Promise<number> {
  const offered = tools.length > 0 ? (await stringifyCooperatively(tools as unknown as JsonValue)).length : 0;
  return messages.reduce((sum, message) => sum + countMessageChars(message), offered);
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_A_TOKEN);
}
