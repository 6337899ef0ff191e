// Decides if a call of an attempt may be emitted: by `tool_choice`, `parallel_tool_calls` and the call limits.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { AttemptConversation } from "../Agent.ts";
import { allowsToolCalls, findToolChoiceViolation } from "./toolChoiceRules.ts";

export interface CallLimits {
  /** Maximum number of calls of one answer that go to the client. */
  readonly handedOver: number;
  /** Names of the tools that the gateway runs itself. */
  readonly gateway: ReadonlySet<string>;
}

/** Maximum number of gateway calls in one answer. Each has a result in the history, and a request may not have more messages. */
const MOST_OF_THE_GATEWAY = 4_096;

export class CallPolicy {
  readonly #conversation: AttemptConversation;
  readonly #untouched: boolean;
  readonly #limits: CallLimits;
  #client = 0;
  #gateway = 0;
  #excessCount = 0;

  /** @param untouched true if the model's output is passed on unchanged; calls are then only counted. */
  constructor(
    conversation: AttemptConversation,
    options: { readonly untouched: boolean; readonly limits: CallLimits },
  ) {
    this.#conversation = conversation;
    this.#untouched = options.untouched;
    this.#limits = options.limits;
  }

  /** Returns `leaves` if the call is emitted, an issue if it is refused, `beyond` if there are too many; see `surplus`. */
  judge(call: ToolCall): "leaves" | "beyond" | FormatIssue {
    const before = this.#client + this.#gateway;
    const violation = this.#untouched ? undefined : findToolChoiceViolation(call, this.#conversation, before);
    return violation ?? (this.#count(call) ? "leaves" : "beyond");
  }

  /** The same for a call that is passed on unchecked: only `tool_choice: none` and the limits apply. */
  letsPass(call: ToolCall): boolean {
    return (this.#untouched || allowsToolCalls(this.#conversation)) && this.#count(call);
  }

  /** The issue that reports the calls beyond the limit. */
  surplus(): FormatIssue | undefined {
    if (this.#excessCount === 0) return undefined;
    const message = `${this.#excessCount} further calls of this answer were left out: at most ${this.#limits.handedOver} are handed over (\`limits.max_client_calls\`).`;
    return { code: "too-many-calls", message };
  }

  #count({ name }: ToolCall): boolean {
    const { handedOver, gateway } = this.#limits;
    if (gateway.has(name) && this.#gateway < MOST_OF_THE_GATEWAY) this.#gateway += 1;
    else if (!gateway.has(name) && this.#client < handedOver) this.#client += 1;
    else {
      this.#excessCount += 1;
      return false;
    }
    return true;
  }
}
