// Converts the events of a run to messages: the task, and the text, calls and results of each turn.
import { Collector } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import type { Message, ToolCall } from "../../core/messages.ts";

export class RunMessages {
  #messages: Message[] = [];
  #said = new Collector();
  #calls: ToolCall[] = [];
  #results: Message[] = [];

  /** The conversation that the run began with; instructions are the operator's. */
  begin(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.role !== "system" && message.role !== "developer") this.#messages.push(message);
  }

  add(event: RunEvent): void {
    if (event.type === "turn-start") this.#close();
    this.#said.add(event);
    if (event.type === "tool-start") this.#calls.push(event.call);
    if (event.type !== "tool-result") return;
    const { callId, name, content } = event;
    this.#results.push({ role: "tool", content, toolCallId: callId, name });
  }

  get all(): readonly Message[] {
    this.#close();
    return this.#messages;
  }

  #close(): void {
    // A blank line parts it from the turn before.
    const text = joinAnswerText(this.#said).replace(/^\n\n/, "");
    const toolCalls = this.#calls;
    if (text !== "" || toolCalls.length > 0) {
      const content = text === "" ? null : text;
      this.#messages.push({ role: "assistant", content, ...(toolCalls.length > 0 && { toolCalls }) });
      for (const result of this.#results) this.#messages.push(result);
    }
    this.#said = new Collector();
    this.#calls = [];
    this.#results = [];
  }
}
