// The strict rule of a history that goes up: each call has an id of its own, arguments that can be read and, right behind it, its one result. Mends nothing.

import { finishInTurns, TURN } from "../core/loopTurn.ts";
import type { Message, ToolCall } from "../core/messages.ts";
import { isObjectText } from "../core/objectText.ts";
import { Pace } from "../core/Pace.ts";

/** Characters of arguments that are read in one go. */
export const SLICE = 262_144;

/** What is wrong with `messages`, and where; undefined where nothing is. */
export function historyFault(messages: readonly Message[]): Promise<string | undefined> {
  return finishInTurns(lookForFault(messages));
}

/** As `historyFault`, in steps, of which a short history takes one. */
export function* lookForFault(messages: readonly Message[]): Generator<typeof TURN, string | undefined> {
  const checker = new HistoryChecker();
  const pace = new Pace(SLICE);
  // By the index: this is asked of every message of every request.
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index] as Message;
    const calls = message.toolCalls ?? NO_CALLS;
    for (let at = 0; at < calls.length; at += 1) {
      const call = calls[at] as ToolCall;
      if (pace.due(call.arguments.length)) yield TURN;
      if (!isReadable(call)) return `messages[${index}]: the arguments of a call are no JSON object`;
    }
    const fault = checker.next(message);
    if (fault !== undefined) return `messages[${index}]: ${fault}`;
  }
  return checker.end();
}

/** Calls whose arguments were read: a history is looked at before it is mended and after, and anew in each turn of a run. */
const readable = new WeakSet<ToolCall>();
/** Characters of arguments that are sooner read again than remembered. */
const SHORT = 128;

/** Whether the arguments of a call are the text of a JSON object, so that upstreams can read them. */
export function isReadable(call: ToolCall): boolean {
  if (call.arguments.length <= SHORT) return isObjectText(call.arguments);
  if (readable.has(call)) return true;
  if (!isObjectText(call.arguments)) return false;
  readable.add(call);
  return true;
}

const NO_CALLS: readonly ToolCall[] = [];

class HistoryChecker {
  readonly #ids = new Set<string>();
  /** Calls whose results are due, in their order. */
  #due: readonly ToolCall[] = [];
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
