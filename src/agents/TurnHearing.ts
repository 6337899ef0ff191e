// What a run hears of one of its turns: whose calls, which text, how it ended. Passes nothing on itself.
import { ExtraFold } from "../core/ExtraFold.ts";
import type { Extra, TurnEnd, TurnEvent } from "../core/events.ts";
import { type Failure, failure } from "../core/failures.ts";
import type { Message, ToolCall } from "../core/messages.ts";
import { asHistory } from "./refusedCalls.ts";
import { SaidBeside } from "./SaidBeside.ts";

export interface HearingOptions {
  /** Names of the tools that the gateway runs itself. */
  readonly gateway: ReadonlySet<string>;
  /** False where the words are of no more use once they have left: no turn follows, and nothing waits for this one's end. */
  readonly keepsText: boolean;
}

/** Characters beside calls that are remembered for a client which sends the calls back. */
const REMEMBERED = 1_048_576;
/** As the gateway estimates where an upstream counts nothing. */
const CHARS_A_TOKEN = 4;

export class TurnHearing {
  end: TurnEnd | undefined;
  failure: Failure = failure("internal_error", "A turn ended without saying how. This is a fault of Postel.");
  /** What the turn said, where it is kept. */
  text = "";
  /** True once visible text of the turn was passed on. */
  textPassed = false;
  readonly #options: HearingOptions;
  readonly #calls: ToolCall[] = [];
  readonly #extra = new ExtraFold();
  readonly #beside: SaidBeside;
  #spoke = false;
  #chars = 0;
  #attempts = 0;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#beside = new SaidBeside(options.keepsText ? undefined : REMEMBERED);
  }

  /** Upstream fields that came with the text, where that is kept. */
  get extra(): readonly Extra[] {
    return this.#extra.all;
  }

  /** True where the turn said something to its reader. */
  get spoke(): boolean {
    return this.#spoke || this.#beside.showed;
  }

  /** Of the turn's prompts and answers, as its upstream counted or was estimated; of a turn that was cut short, of its answer. */
  get tokens(): number {
    return this.end?.usage?.totalTokens ?? Math.ceil(this.#chars / CHARS_A_TOKEN);
  }

  isGateway(call: ToolCall): boolean {
    return this.#options.gateway.has(call.name);
  }

  add(event: TurnEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#addText(event);
        return;
      case "reasoning-delta":
        this.#chars += event.text.length;
        this.#beside.addReasoning(event.text);
        return;
      case "tool-call":
        this.#chars += event.call.arguments.length;
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
        this.#extra.clear();
        this.#beside.forgetExtra();
        return;
      case "format-issue":
        return;
      default:
        event satisfies never;
    }
  }

  #addText({ text, extra = [] }: Extract<TurnEvent, { type: "text-delta" }>): void {
    this.#chars += text.length;
    this.#spoke ||= text.trim() !== "";
    this.#beside.addExtra(extra);
    if (!this.#options.keepsText) return;
    this.text += text;
    this.#extra.add(extra);
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
      ...this.#beside.message(),
      ...(this.#calls.length > 0 && {
        toolCalls: this.#calls.map((call) => (call.unchecked ? asHistory(call) : call)),
      }),
    };
  }

  /** The turn's end; that of a turn that was cut short knows no usage. */
  turnEnd(): TurnEnd {
    return (
      this.end ?? {
        type: "turn-end",
        finishReason: "length",
        upstreamFinishReason: null,
        usagePartial: true,
        attempts: this.#attempts,
        retries: 0,
      }
    );
  }
}
