// Makes the conversation fit the context window of the model, before each model call of a run.

import type { ConversationConfig, SummaryConfig } from "../../core/config/configuration.ts";
import type { RunEvent, TurnEnd } from "../../core/events/events.ts";
import { createFailure, type Failure } from "../../core/failures.ts";
import type { Message } from "../../core/messages.ts";
import { type ContextWindow, resolveContextWindow } from "../../core/models/capabilities.ts";
import { isUsedUp, withSpent } from "../../core/runs/budget.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { READ_RESULT } from "../../core/runs/resultLimits.ts";
import type { ModelCapabilityDetector } from "../../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../../models/ModelDirectory.ts";
import { READING, withReading } from "../calls/readResultTool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import { computeScale, countToolChars, measureMessages, type Scale } from "./estimateTokens.ts";
import { mergeSummaryMessages } from "./mergeSummaries.ts";
import { groupMessages } from "./messageGroups.ts";
import { type SummaryServices, summarise } from "./summarizeHistory.ts";
import { trimHistory } from "./trimHistory.ts";

export interface ContextServices extends SummaryServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect">;
  readonly registry: Pick<RunTools, "select">;
}

/** The state with which the run continues, and the events for the client. */
export interface Fitted {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  /** Reason why no model can be asked. */
  readonly failure?: Failure | undefined;
}

/** Below this number of tokens the window does not matter, and no server is asked for it. */
const ASK_FROM = 1_600;
/** Share of the window above which a warning is emitted; trimming aims at this share too. */
const NEAR = 0.8;
/** Maximum error factor of an estimate; a prompt beyond it is not sent. */
const SURELY = 1.25;
/** Share of the refused prompt that is assumed as the limit if the upstream does not state one. */
const LESS = 0.75;
/** Minimum share of the conversation that a summary must replace. */
const WORTH = 0.1;
/** Share of the window that the model which writes a summary is shown. */
const SUMMARISED = 0.6;

/** Size of a prompt and the budget for it, in tokens. */
interface Reading {
  readonly window: ContextWindow;
  /** The window minus the tokens reserved for the answer. */
  readonly budget: number;
  readonly tokens: number;
  readonly scale: Scale;
  /** Characters of messages and tools. */
  readonly chars: number;
}

/** One instance per run. */
export class ContextManager {
  readonly #services: ContextServices;
  readonly #config: ConversationConfig | undefined;
  /** True while the prompt is near the window's limit. */
  #isNear = false;
  #summaryFailed = false;
  /** Window size that a refusal has stated or implied. */
  #learnt: number | undefined;
  /** Number of the turn whose prompt was refused. */
  #refusedTokens: number | undefined;

  constructor(services: ContextServices, config: ConversationConfig | undefined) {
    this.#services = services;
    this.#config = config;
  }

  /** Fits the conversation before a turn. Never throws. */
  async fit(state: RunState, signal: AbortSignal): Promise<Fitted> {
    const countedState = this.#withinCount(state);
    const reading = await this.#readContext(countedState.state, signal);
    if (!reading) return countedState;
    const summarised = await this.#summarised(countedState.state, reading, signal);
    const now = (await this.#readContext(summarised.state, signal)) ?? reading;
    const events = [...countedState.events, ...summarised.events, ...this.#reportCrossings(now)];
    if (now.tokens <= now.budget) return { state: summarised.state, events };
    const trimmed = this.#trim(summarised.state, now);
    return { ...trimmed, events: [...events, ...trimmed.events] };
  }

  /** Shrinks the conversation after an upstream refused the prompt of this turn as too long. Undefined for any other failure. Each turn gets one retry. */
  async refit(state: RunState, reason: Failure, signal: AbortSignal): Promise<Fitted | undefined> {
    if (reason.code !== "context_length_exceeded") return undefined;
    const isSecond = this.#refusedTokens === state.turn;
    this.#refusedTokens = state.turn;
    const before = isSecond ? undefined : await this.#readContext(state, signal, 0);
    const text = reason.details?.contextTokens;
    const refused = createFailure(reason.code, `${reason.message} ${WHAT_TO_DO}`, reason.details);
    if (!before) return { state, events: [], failure: refused };
    this.#learnt = typeof text === "number" ? text : Math.floor(before.tokens * LESS);
    // The prompt has more tokens than was estimated.
    const tokens = Math.max(before.tokens, Math.ceil(this.#learnt * SURELY));
    const countedState = { ...state, counted: { chars: before.chars, tokens } };
    const fitted = this.#trim(countedState, (await this.#readContext(countedState, signal, 0)) ?? before);
    return fitted.state.messages === state.messages ? { state, events: [], failure: refused } : fitted;
  }

  /** The state as it is sent to a model. */
  markSent(state: RunState): RunState {
    const messages = mergeSummaryMessages(state.messages);
    return messages === state.messages ? state : { ...state, messages };
  }

  /** The upstream's token count of the prompt. Empty if it is an estimate, or if the turn took several attempts. */
  countPrompt(before: RunState, { usage, usageEstimated, attempts }: TurnEnd): Pick<RunState, "counted"> {
    if (!usage || usageEstimated || attempts !== 1) return {};
    const chars = measureMessages(before.messages) + this.#toolChars(before);
    return { counted: { chars, tokens: usage.promptTokens } };
  }

  #withinCount(state: RunState): Fitted {
    const maxMessages = this.#config?.maxMessages;
    const { messages, droppedCount: left } = trimHistory(state.messages, {
      chars: Number.POSITIVE_INFINITY,
      messages: maxMessages,
    });
    if (left === 0) return { state, events: [] };
    const scale = computeScale(state.counted);
    const tools = this.#toolChars(state);
    const estimate = (all: readonly Message[]): number => scale.tokens(measureMessages(all) + tools);
    const trimEvent = {
      messages: left,
      shortened: 0,
      tokensBefore: estimate(state.messages),
      tokensAfter: estimate(messages),
    };
    return { state: { ...state, messages }, events: [{ type: "context-trimmed", ...trimEvent }] };
  }

  #toolChars({ gatewayTools, request, toolMode }: RunState): number {
    const names = gatewayTools.filter((name) => name !== READ_RESULT);
    const own = this.#services.registry.select(names).map(({ spec }) => spec);
    const reading = names.length < gatewayTools.length ? [READING] : [];
    return countToolChars([...own, ...reading, ...request.tools], toolMode);
  }

  /** Resolves with undefined if the window cannot matter. */
  async #readContext(state: RunState, signal: AbortSignal, from = ASK_FROM): Promise<Reading | undefined> {
    const { model, sampling } = state.request;
    const chars = measureMessages(state.messages) + this.#toolChars(state);
    const scale = computeScale(state.counted);
    const tokens = scale.tokens(chars);
    const window = await this.#window(model, tokens >= from, signal);
    if (!window) return undefined;
    const answer = sampling.maxCompletionTokens ?? sampling.maxTokens ?? 0;
    return { window, budget: window.tokens - Math.min(answer, Math.floor(window.tokens / 2)), tokens, scale, chars };
  }

  async #window(model: string, isWanted: boolean, signal: AbortSignal): Promise<ContextWindow | undefined> {
    const { directory, detector } = this.#services;
    const [route] = directory.resolve(model);
    const capabilities = route && detector.detect({ model: route.model, key: route.key });
    if (!capabilities) return undefined;
    const text = capabilities.contextTokens === undefined && isWanted ? await route.window?.ask(signal) : undefined;
    if (capabilities.contextTokens === undefined && !isWanted && this.#learnt === undefined) return undefined;
    const window = resolveContextWindow(capabilities, text);
    return this.#learnt !== undefined && this.#learnt < window.tokens
      ? { tokens: this.#learnt, source: "server" }
      : window;
  }

  #reportCrossings({ tokens, budget: room, window }: Reading): readonly RunEvent[] {
    const wasNear = this.#isNear;
    this.#isNear = tokens >= room * NEAR;
    if (tokens > room) return [{ type: "context-warning", level: "warning", tokens, window }];
    return this.#isNear && !wasNear ? [{ type: "context-warning", level: "info", tokens, window }] : [];
  }

  #trim(state: RunState, { window, budget: room, tokens, scale, chars }: Reading): Fitted {
    const excess = scale.chars(tokens - Math.floor(room * NEAR));
    const aim = Math.max(0, measureMessages(state.messages) - excess);
    const wholes = new Map(state.executed.map(({ call, result }) => [call.id, result.whole ?? result.content]));
    const { messages, droppedCount: left, shortened } = trimHistory(state.messages, { chars: aim }, wholes);
    const tokensAfter = scale.tokens(chars - measureMessages(state.messages) + measureMessages(messages));
    this.#isNear = tokensAfter >= room * NEAR;
    const events: readonly RunEvent[] =
      messages === state.messages
        ? []
        : [{ type: "context-trimmed", messages: left, shortened: shortened.length, tokensBefore: tokens, tokensAfter }];
    const maxMessages = state.counted ? window.tokens : window.tokens * SURELY;
    const cannot =
      tokensAfter > maxMessages && window.source !== "assumed" ? cannotFit(state, tokensAfter, window) : undefined;
    return { state: { ...storeWholeResults(state, shortened), messages }, events, ...(cannot && { failure: cannot }) };
  }

  async #summarised(state: RunState, reading: Reading, signal: AbortSignal): Promise<Fitted> {
    const config = this.#config?.summary;
    const isDue = config && reading.tokens >= computeThreshold(config, reading.budget);
    if (!isDue || this.#summaryFailed || isUsedUp(state)) return { state, events: [] };
    const at = replaceable(state.messages, config.keepLast);
    const old = at.map((index) => state.messages[index] as Message);
    const oldChars = measureMessages(old);
    if (old.length < 2 || oldChars < reading.chars * WORTH) return { state, events: [] };
    const model = config.model ?? state.request.model;
    const window = (await this.#window(model, true, signal)) ?? reading.window;
    const summaryRequest = { state, config, model, chars: reading.scale.chars(window.tokens * SUMMARISED) };
    const summary = await summarise(old, summaryRequest, { ...this.#services, signal });
    const { tokens, money } = summary.turnCollector.isEmitted(this.#getPrices(model));
    const paid = withSpent(state, { tokens, calls: 0, money });
    const trimEvent = { type: "summary", model, messages: old.length, tokensBefore: reading.tokens } as const;
    const why = "failure" in summary ? summary.failure : undefined;
    const isShorter = "message" in summary && measureMessages([summary.message]) < oldChars;
    if (!("message" in summary) || !isShorter) {
      this.#summaryFailed = true;
      const reason =
        why ?? createFailure("model_output_invalid", "The summary is longer than the messages that it replaces.");
      return { state: paid, events: [{ ...trimEvent, tokensAfter: reading.tokens, failure: reason }] };
    }
    const replaced = new Set(at);
    const messages = state.messages.flatMap((message, index) =>
      index === at[0] ? [summary.message] : replaced.has(index) ? [] : [message],
    );
    const tokensAfter = reading.scale.tokens(
      reading.chars - measureMessages(state.messages) + measureMessages(messages),
    );
    return { state: { ...paid, messages }, events: [{ ...trimEvent, tokensAfter }] };
  }

  #getPrices(model: string) {
    const { directory, detector } = this.#services;
    const [route] = directory.resolve(model);
    return route && detector.detect({ model: route.model, key: route.key }).prices;
  }
}

/** Stores the full text of shortened results, so that the model can read the rest. */
function storeWholeResults(state: RunState, shortened: readonly string[]): RunState {
  if (shortened.length === 0) return state;
  const ids = new Set(shortened);
  const executed = state.executed.map(({ call, result }) =>
    ids.has(call.id) && result.whole === undefined
      ? { call, result: { ...result, whole: result.content } }
      : { call, result },
  );
  return { ...state, executed, gatewayTools: withReading(state.gatewayTools, executed) };
}

function computeThreshold({ afterTokens }: SummaryConfig, budget: number): number {
  return afterTokens < 1 ? afterTokens * budget : afterTokens;
}

/** Indexes of the messages that a summary may replace. */
function replaceable(messages: readonly Message[], keepLast: number): readonly number[] {
  const maxMessages = messages.length - keepLast;
  return groupMessages(messages).flatMap(({ from, to, is }) =>
    is === "kept" || to > maxMessages ? [] : Array.from({ length: to - from }, (_, index) => from + index),
  );
}

const WHAT_TO_DO =
  "The prompt still has the instructions, the question, the tools and the last results: shorten them, offer fewer tools, lower `max_tokens`, or use a model with a larger context. If the gateway assumes a wrong context size, set `context_tokens` in the model's entry.";

function cannotFit({ request }: RunState, tokens: number, { tokens: window, source }: ContextWindow): Failure {
  const message = `The conversation comes to about ${tokens} tokens, and ${request.model} reads ${window} (${source}). ${WHAT_TO_DO}`;
  return createFailure("context_length_exceeded", message, { tokens, contextTokens: window });
}
