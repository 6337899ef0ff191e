// What a run hears of one of its turns: whose calls, which text, how it ended. Passes nothing on itself.

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
  /** False where the words are of no more use once they have left: no turn follows, and nothing waits for this one's end. */
  readonly keepsText: boolean;
}

/** Characters beside calls that are remembered for a client which sends the calls back. */
const REMEMBERED = 1_048_576;
const UNENDED = createFailure("internal_error", "A turn ended without saying how. This is a fault of Postel.");

export class TurnCollector {
  /** True once visible text of the turn was passed on. */
  textPassed = false;
  readonly #gateway: TurnCollectorOptions["gateway"];
  readonly #collected: Collector;
  #attempts = 0;

  constructor({ gateway, keepsText }: TurnCollectorOptions) {
    this.#gateway = gateway;
    const beside = keepsText ? Number.POSITIVE_INFINITY : REMEMBERED;
    this.#collected = new Collector({ text: keepsText, beside, calls: true });
  }

  add(event: TurnEvent): void {
    this.#collected.add(event);
    if (event.type === "turn-start") this.#attempts = Math.max(this.#attempts, 1);
    if (event.type !== "attempt") return;
    this.#attempts = event.n;
    this.#collected.forgetExtra();
  }

  get end(): TurnEnd | undefined {
    return this.#collected.outline().end;
  }

  get failure(): Failure {
    return this.#collected.outline().failure ?? UNENDED;
  }

  /** What the turn said, where it is kept. */
  get text(): string {
    return this.#collected.text;
  }

  /** Upstream fields that came with the text, where that is kept. */
  get extra(): readonly Extra[] {
    return this.#collected.extra;
  }

  /** True where visible text came. */
  get wrote(): boolean {
    return this.#collected.spoke;
  }

  /** True where the turn said something to its reader. */
  get spoke(): boolean {
    return this.#collected.spoke || this.#collected.showed;
  }

  /** Of the turn's prompts and answers, as its upstream counted or was estimated; of a turn that was cut short, of its answer. */
  get tokens(): number {
    return this.end?.usage?.totalTokens ?? Math.ceil(this.#collected.chars / CHARS_A_TOKEN);
  }

  /** What the turn has cost; of one that was cut short, its answer. */
  spent(prices: Prices | undefined): Spent {
    const { tokens } = this;
    const usage = this.end?.usage ?? { promptTokens: 0, completionTokens: tokens, totalTokens: tokens };
    return { tokens, calls: 0, ...(prices && { money: computeCost(usage, prices) }) };
  }

  /** Why there is nothing more to ask: the model's refusal to answer. */
  get refusal(): string | undefined {
    return this.#collected.declined ? (findRefusal(this.#collected.extra) ?? "") : undefined;
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

  /** What the model said, as the next turn sees it. */
  message(): Message {
    const { text, calls, extra } = this.#collected;
    // Few upstreams take a refusal back in its own field.
    const content = text === "" && calls.length === 0 ? findRefusal(extra) : text;
    return {
      role: "assistant",
      content: content || null,
      ...collectAssistantExtras(this.#collected),
      ...(calls.length > 0 && { toolCalls: calls.map((call) => (call.unchecked ? toHistoryCall(call) : call)) }),
    };
  }

  /** The turn's end; that of a turn that was cut short knows no usage. */
  turnEnd(): TurnEnd {
    return this.end ?? { ...endWithoutUsage("length"), usagePartial: true, attempts: this.#attempts };
  }
}
