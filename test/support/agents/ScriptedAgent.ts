// An agent that plays attempts: for tests of what is made of them. Reads no text.
import type { Agent, AttemptConversation, AttemptEvent } from "../../../src/agents/Agent.ts";
import type { ChosenAgent } from "../../../src/agents/AgentFactory.ts";
import type { EventSink } from "../../../src/core/events/EventSink.ts";
import type { FormatIssue } from "../../../src/core/events/issues.ts";
import { createFailure } from "../../../src/core/failures.ts";
import type { ToolCall, ToolMode } from "../../../src/core/messages.ts";
import { pushed } from "../events.ts";

export class ScriptedAgent implements Agent {
  readonly model = "test-model";
  readonly toolMode: ToolMode;
  readonly row = "test";
  readonly emulate = "hermes-json";
  readonly onInvalid = "error";
  readonly untouched = false;
  readonly asked: AttemptConversation[] = [];
  readonly #attempts: readonly (readonly AttemptEvent[])[];

  constructor(toolMode: ToolMode, ...attempts: readonly (readonly AttemptEvent[])[]) {
    this.toolMode = toolMode;
    this.#attempts = attempts;
  }

  async attempt(conversation: AttemptConversation, _: AbortSignal, take: EventSink<AttemptEvent>): Promise<void> {
    const events = this.#attempts[this.asked.length];
    this.asked.push(conversation);
    if (!events) throw new Error("The scripted agent was asked once too often.");
    await pushed(events, take);
  }

  verify(): void {
    if (this.asked.length !== this.#attempts.length) {
      throw new Error(`${this.#attempts.length} attempts are scripted, ${this.asked.length} were made.`);
    }
  }
}

export const opened: AttemptEvent = { type: "opened", retries: 0 };

export function text(content: string): AttemptEvent {
  return { type: "text", text: content };
}

export function call(name: string, args = "{}", id = `id_${name}`): ToolCall {
  return { id, name, arguments: args, origin: "native", repairs: [], raw: `${name}(${args})` };
}

export function made(toolCall: ToolCall): AttemptEvent {
  return { type: "call", call: toolCall };
}

export function issue(code: FormatIssue["code"], more: Partial<FormatIssue> = {}): FormatIssue {
  return { code, message: `This is a ${code}.`, ...more };
}

export function ended(finishReason: string | null = "stop"): AttemptEvent {
  return { type: "end", finishReason, usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 } };
}

export function broken(): AttemptEvent {
  return { type: "failed", failure: createFailure("upstream_truncated", "The stream broke.") };
}

/** The first asks; each further one where `nextRoute` was called once more. */
export function routesOf(first: Agent, ...others: Agent[]): ChosenAgent {
  let agent = first;
  const next = (): Agent => {
    agent = others.shift() ?? agent;
    return agent;
  };
  return {
    get agent() {
      return agent;
    },
    get nextRoute() {
      return others.length > 0 ? next : undefined;
    },
  };
}
