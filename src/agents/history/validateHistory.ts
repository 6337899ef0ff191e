// Validates a history before it is sent: each call has a unique id and is directly followed by exactly one result.
import type { Message, ToolCall } from "../../core/messages.ts";

/** Description and position of the first error in `messages`; undefined if there is none. */
export function validateHistory(messages: readonly Message[]): string | undefined {
  const checker = new HistoryChecker();
  // An indexed loop, because this runs for every message of every request.
  for (let index = 0; index < messages.length; index += 1) {
    const fault = checker.next(messages[index] as Message);
    if (fault !== undefined) return `messages[${index}]: ${fault}`;
  }
  return checker.end();
}

const NO_CALLS: readonly ToolCall[] = [];

class HistoryChecker {
  readonly #ids = new Set<string>();
  /** Calls whose results are due, in order. */
  #expectedCalls: readonly ToolCall[] = NO_CALLS;
  #answeredCount = 0;

  next(message: Message): string | undefined {
    if (message.role === "tool") return this.#result(message);
    const unanswered = this.end();
    if (unanswered !== undefined) return unanswered;
    this.#expectedCalls = message.toolCalls ?? NO_CALLS;
    this.#answeredCount = 0;
    if (message.toolCallId !== undefined) return "only the message of a tool answers a call";
    if (this.#expectedCalls.length > 0 && message.role !== "assistant") return "only the assistant calls";
    for (const call of this.#expectedCalls) {
      const fault = this.#call(call);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  end(): string | undefined {
    const expectedCall = this.#expectedCalls[this.#answeredCount];
    return expectedCall && `the result of the call ${JSON.stringify(expectedCall.id)} is missing`;
  }

  #result({ toolCallId }: Message): string | undefined {
    const expectedCall = this.#expectedCalls[this.#answeredCount];
    if (!expectedCall) return "a result without its call";
    this.#answeredCount += 1;
    return toolCallId === expectedCall.id
      ? undefined
      : `not the result of the call ${JSON.stringify(expectedCall.id)}, which is due`;
  }

  #call({ id, name }: ToolCall): string | undefined {
    if (id === "" || name === "") return "a call without id or name";
    if (this.#ids.has(id)) return `the id ${JSON.stringify(id)} is used twice`;
    this.#ids.add(id);
    return undefined;
  }
}
