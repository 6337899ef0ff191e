// The gate through which every call of an attempt leaves: allowed at all, as demanded, and no more than may be handed over. Reads no text.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { AttemptConversation } from "../Agent.ts";
import { allowsToolCalls, findToolChoiceViolation } from "./toolChoiceRules.ts";

export interface CallLimits {
  /** Calls of one answer that are handed to the client. */
  readonly handedOver: number;
  /** Names of the tools that the gateway runs itself. */
  readonly gateway: ReadonlySet<string>;
}

/** Calls of the gateway's own tools in one answer, each of which has a result in the history: no request may have more messages. */
const MOST_OF_THE_GATEWAY = 4_096;

export class CallPolicy {
  readonly #conversation: AttemptConversation;
  readonly #untouched: boolean;
  readonly #limits: CallLimits;
  #client = 0;
  #gateway = 0;
  #beyond = 0;

  /** @param untouched whether what the model gives is passed on as it came: then it is only counted. */
  constructor(
    conversation: AttemptConversation,
    options: { readonly untouched: boolean; readonly limits: CallLimits },
  ) {
    this.#conversation = conversation;
    this.#untouched = options.untouched;
    this.#limits = options.limits;
  }

  /** Whether the call leaves; an issue where it is refused; `beyond` where it is one too many, which `surplus` reports. */
  judge(call: ToolCall): "leaves" | "beyond" | FormatIssue {
    const before = this.#client + this.#gateway;
    const refusal = this.#untouched ? undefined : findToolChoiceViolation(call, this.#conversation, before);
    return refusal ?? (this.#count(call) ? "leaves" : "beyond");
  }

  /** The same for a call that passes as it came, whatever else was demanded of it. */
  letsPass(call: ToolCall): boolean {
    return (this.#untouched || allowsToolCalls(this.#conversation)) && this.#count(call);
  }

  /** The issue of the calls that were one too many. */
  surplus(): FormatIssue | undefined {
    if (this.#beyond === 0) return undefined;
    const message = `${this.#beyond} further calls of this answer were left out: at most ${this.#limits.handedOver} are handed over (\`limits.max_client_calls\`).`;
    return { code: "too-many-calls", message };
  }

  #count({ name }: ToolCall): boolean {
    const { handedOver, gateway } = this.#limits;
    if (gateway.has(name) && this.#gateway < MOST_OF_THE_GATEWAY) this.#gateway += 1;
    else if (!gateway.has(name) && this.#client < handedOver) this.#client += 1;
    else {
      this.#beyond += 1;
      return false;
    }
    return true;
  }
}
