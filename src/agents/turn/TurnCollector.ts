// Collects the events of one turn: calls, text and end.

import { Collector } from "../../core/events/Collector.ts";
import type { Extra, Spent, TurnEnd, TurnEvent } from "../../core/events/events.ts";
import { findRefusal } from "../../core/events/refusals.ts";
import { createFailure, type Failure } from "../../core/failures.ts";
import type { Message, ToolCall } from "../../core/messages.ts";
import type { Prices } from "../../core/models/capabilities.ts";
import { CHARS_A_TOKEN, computeCost } from "../../core/runs/budget.ts";
import { collectAssistantExtras } from "../history/assistantExtras.ts";
import { toHistoryCall } from "../history/rejectedCalls.ts";
import { endWithoutUsage } from "./TurnUsage.ts";

export interface TurnCollectorOptions {
  /** Names of the tools that the gateway runs itself. */
  readonly gateway: ReadonlySet<string>;
  /** False if the text is not needed after it was emitted: no turn follows, and nothing waits for the end of this one. */
  readonly keepsText: boolean;
}

/** Maximum number of characters besides calls that are stored for a client that sends the calls back. */
const REMEMBERED = 1_048_576;
const UNENDED = createFailure("internal_error", "A turn ended without saying how. This is a fault of Postel.");

export class TurnCollector {
  /** True once visible text of the turn was emitted. */
  textPassed = false;
  readonly #gateway: TurnCollectorOptions["gateway"];
  readonly #collected: Collector;
  #attempts = 0;

  constructor({ gateway, keepsText }: TurnCollectorOptions) {
    this.#gateway = gateway;
    const maxExtraChars = keepsText ? Number.POSITIVE_INFINITY : REMEMBERED;
    this.#collected = new Collector({ text: keepsText, maxExtraChars, calls: true });
  }

  add(event: TurnEvent): void {
    this.#collected.add(event);
    if (event.type === "turn-start") this.#attempts = Math.max(this.#attempts, 1);
    if (event.type !== "attempt") return;
    this.#attempts = event.n;
    this.#collected.discardExtra();
  }

  get end(): TurnEnd | undefined {
    return this.#collected.getSummary().end;
  }

  get failure(): Failure {
    return this.#collected.getSummary().failure ?? UNENDED;
  }

  /** Text of the turn, if it is stored. */
  get text(): string {
    return this.#collected.text;
  }

  /** Upstream fields that arrived with the text, if it is stored. */
  get extra(): readonly Extra[] {
    return this.#collected.extra;
  }

  /** True if there is visible text. */
  get wrote(): boolean {
    return this.#collected.hasVisibleText;
  }

  /** True if the turn has visible content for the client. */
  get spoke(): boolean {
    return this.#collected.hasVisibleText || this.#collected.hasVisibleExtra;
  }

  /** Tokens of the turn's prompts and answers, as the upstream counted them or as estimated. For a turn that was cut short only those of the answer. */
  get tokens(): number {
    return this.end?.usage?.totalTokens ?? Math.ceil(this.#collected.chars / CHARS_A_TOKEN);
  }

  /** Cost of the turn; for a turn that was cut short only that of the answer. */
  isEmitted(prices: Prices | undefined): Spent {
    const { tokens } = this;
    const usage = this.end?.usage ?? { promptTokens: 0, completionTokens: tokens, totalTokens: tokens };
    return { tokens, calls: 0, ...(prices && { money: computeCost(usage, prices) }) };
  }

  /** Text of the model's refusal to answer; undefined if it did not refuse. */
  get refusal(): string | undefined {
    return this.#collected.hasRefusal ? (findRefusal(this.#collected.extra) ?? "") : undefined;
  }

  isGateway(call: ToolCall): boolean {
    return this.#gateway.has(call.name);
  }

  calls(): { readonly gatewayCalls: readonly ToolCall[]; readonly clientCalls: readonly ToolCall[] } {
    const { calls } = this.#collected;
    return {
      gatewayCalls: calls.filter((call) => this.isGateway(call)),
      clientCalls: calls.filter((call) => !this.isGateway(call)),
    };
  }

  /** The message of the model for the next turn. */
  message(): Message {
    const { text, calls, extra } = this.#collected;
    // Few upstreams accept a refusal in its own field.
    const content = text === "" && calls.length === 0 ? findRefusal(extra) : text;
    return {
      role: "assistant",
      content: content || null,
      ...collectAssistantExtras(this.#collected),
      ...(calls.length > 0 && { toolCalls: calls.map((call) => (call.unchecked ? toHistoryCall(call) : call)) }),
    };
  }

  /** The end of the turn; without usage if the turn was cut short. */
  turnEnd(): TurnEnd {
    return this.end ?? { ...endWithoutUsage("length"), usagePartial: true, attempts: this.#attempts };
  }
}
