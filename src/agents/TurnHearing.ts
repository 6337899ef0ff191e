// What a run hears of one of its turns: whose calls, which text, how it ended. Passes nothing on itself.
import type { Extra, FinishReason, TurnEnd, TurnEvent } from "../core/events.ts";
import { type Failure, failure } from "../core/failures.ts";
import type { Message, ToolCall } from "../core/messages.ts";
import { asHistory } from "./refusedCalls.ts";
import { saidBeside, showsMore } from "./saidBeside.ts";

export class TurnHearing {
  end: TurnEnd | undefined;
  failure: Failure = failure("internal_error", "A turn ended without saying how. This is a fault of Postel.");
  text = "";
  /** Upstream fields that came with the text. */
  readonly extra: Extra[] = [];
  /** True once visible text of the turn was passed on. */
  textPassed = false;
  readonly #gateway: ReadonlySet<string>;
  readonly #calls: ToolCall[] = [];
  #reasoning = "";
  #attempts = 0;

  constructor(gateway: ReadonlySet<string>) {
    this.#gateway = gateway;
  }

  /** True where the turn said something to its reader. */
  get spoke(): boolean {
    return this.text.trim() !== "" || showsMore(this.extra);
  }

  isGateway(call: ToolCall): boolean {
    return this.#gateway.has(call.name);
  }

  add(event: TurnEvent): void {
    switch (event.type) {
      case "text-delta":
        this.text += event.text;
        this.extra.push(...(event.extra ?? []));
        return;
      case "reasoning-delta":
        this.#reasoning += event.text;
        return;
      case "tool-call":
        this.#calls.push(event.call);
        return;
      case "turn-end":
        this.end = event;
        return;
      case "turn-failed":
        this.failure = event.failure;
        return;
      case "turn-start":
        this.#attempts = Math.max(this.#attempts, 1);
        return;
      case "attempt":
        this.#attempts = event.n;
        // What was said beside an attempt that was made again is not said beside its calls.
        this.extra.length = 0;
        return;
      case "format-issue":
        return;
      default:
        event satisfies never;
    }
  }

  calls(): { readonly gatewayCalls: readonly ToolCall[]; readonly clientCalls: readonly ToolCall[] } {
    return {
      gatewayCalls: this.#calls.filter((call) => this.isGateway(call)),
      clientCalls: this.#calls.filter((call) => !this.isGateway(call)),
    };
  }

  /** What the model said, as the next turn sees it. */
  message(): Message {
    return {
      role: "assistant",
      content: this.text === "" ? null : this.text,
      ...saidBeside(this.#reasoning, this.extra),
      ...(this.#calls.length > 0 && {
        toolCalls: this.#calls.map((call) => (call.unchecked ? asHistory(call) : call)),
      }),
    };
  }

  /** The turn's end under another reason, or its own; that of a turn that was cut short knows no usage. */
  endAs(finishReason: FinishReason | undefined): TurnEnd {
    const end = this.end ?? {
      type: "turn-end",
      finishReason: "length",
      upstreamFinishReason: null,
      usagePartial: true,
      attempts: this.#attempts,
      retries: 0,
    };
    return finishReason === undefined ? end : { ...end, finishReason };
  }
}
