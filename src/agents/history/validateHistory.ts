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
  #due: readonly ToolCall[] = NO_CALLS;
  #answered = 0;

  next(message: Message): string | undefined {
    if (message.role === "tool") return this.#result(message);
    const unanswered = this.end();
    if (unanswered !== undefined) return unanswered;
    this.#due = message.toolCalls ?? NO_CALLS;
    this.#answered = 0;
    if (message.toolCallId !== undefined) return "only the message of a tool answers a call";
    if (this.#due.length > 0 && message.role !== "assistant") return "only the assistant calls";
    for (const call of this.#due) {
      const fault = this.#call(call);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  end(): string | undefined {
    const due = this.#due[this.#answered];
    return due && `the result of the call ${JSON.stringify(due.id)} is missing`;
  }

  #result({ toolCallId }: Message): string | undefined {
    const due = this.#due[this.#answered];
    if (!due) return "a result without its call";
    this.#answered += 1;
    return toolCallId === due.id ? undefined : `not the result of the call ${JSON.stringify(due.id)}, which is due`;
  }

  #call({ id, name }: ToolCall): string | undefined {
    if (id === "" || name === "") return "a call without id or name";
    if (this.#ids.has(id)) return `the id ${JSON.stringify(id)} is used twice`;
    this.#ids.add(id);
    return undefined;
  }
}
