// The only loop: turns and tools until there is an answer, a call for the client, or a limit; a chat completion is its one-turn run. Knows no format.
import { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent, RunLimit, RunOutcome, TurnEvent } from "../core/events.ts";
import { failure, PostelError } from "../core/failures.ts";
import { demandsCall, type Message, type ToolCall } from "../core/messages.ts";
import type { Clock } from "../core/ports.ts";
import type { NextStep, RunState } from "../core/run.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import type { AgentFactory, ChosenAgent } from "./AgentFactory.ts";
import { AnswerDeadline } from "./AnswerDeadline.ts";
import { askForAnswer } from "./answerNow.ts";
import type { CallMemory } from "./CallMemory.ts";
import { carriedResults } from "./carriedResults.ts";
import { decideNextStep } from "./decideNextStep.ts";
import { type ExecutedCall, executeCalls } from "./executeCalls.ts";
import type { RetryStrategy } from "./RetryStrategy.ts";
import { countCircle, countRepeats } from "./repeatedCalls.ts";
import { allowanceOf, bringsNothingNew, isLastTurnNext } from "./runLimits.ts";
import { TurnHearing } from "./TurnHearing.ts";
import { takeTurn } from "./takeTurn.ts";

export interface RunServices {
  readonly factory: Pick<AgentFactory, "choose">;
  readonly strategy: RetryStrategy;
  readonly memory: Pick<CallMemory, "remember">;
  readonly registry: Pick<ToolRegistry, "get" | "select">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Calls that run at the same time. */
  readonly parallelTools: number;
  /** Calls of one turn that the gateway runs. */
  readonly callsPerTurn: number;
  /** Calls of one turn that are handed to the client. */
  readonly callsHandedOver: number;
  /** Characters of a tool result that reach the model. */
  readonly toolOutputChars: number;
  /** Milliseconds for a tool that names no timeout of its own. */
  readonly toolMs: number;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
}

/** Between the texts of two turns. */
const TEXT_BREAK = "\n\n";

/**
 * The events of a run. A turn's end comes after the gateway has run the turn's calls. The last event is `run-end`, or the
 * `turn-failed` of a run that failed; a cancelled run has both.
 */
export function runLoop(state: RunState, services: RunServices, signal: AbortSignal): AsyncIterable<RunEvent> {
  return new RunInProgress(state, services, signal).events();
}

class RunInProgress {
  #state: RunState;
  readonly #services: RunServices;
  readonly #cancelled: AbortSignal;
  /** Aborted when the run is over: its time is up, or nobody listens any more. */
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /** With an output schema only the last turn's text is content, so each turn's waits until it is known which one that is. */
  readonly #bound: boolean;
  /** All calls that the gateway ran in this run. */
  readonly #executed: ExecutedCall[] = [];
  readonly #keys = new CallKeys();
  /** One for all turns: what its upstream has refused once is not sent again. */
  #chosen: ChosenAgent | undefined;
  #overdue = false;
  #sentText = false;

  constructor(state: RunState, services: RunServices, signal: AbortSignal) {
    this.#state = state;
    this.#services = services;
    this.#cancelled = signal;
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
    this.#bound = state.request.output.type !== "text";
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    yield { type: "run-start", runId: this.#state.id };
    this.#watchDeadline();
    try {
      while (yield* this.#turn());
    } finally {
      this.#over.abort();
    }
  }

  #watchDeadline(): void {
    const { deadline } = this.#state;
    if (deadline === undefined) return;
    const { clock } = this.#services;
    const expire = (): void => {
      this.#overdue = true;
      this.#over.abort(new PostelError(failure("turn_timeout", "The run's time is up.")));
    };
    // A sleep that is cut short rejects: then the run is over anyway.
    clock.sleep(Math.max(0, deadline - clock.now()), this.#signal).then(expire, () => undefined);
  }

  /** True where a further turn follows. */
  async *#turn(): AsyncGenerator<RunEvent, boolean, undefined> {
    const gateway = new Set(this.#state.gatewayTools);
    const hearing = new TurnHearing({ gateway, keepsText: gateway.size > 0 || this.#bound });
    const deadline = new AnswerDeadline(this.#signal, this.#services);
    try {
      for await (const event of this.#takeTurn(deadline.signal)) {
        hearing.add(event);
        yield* this.#pass(event, hearing);
      }
    } finally {
      deadline.end();
    }
    if (!hearing.end) {
      yield* this.#broken(hearing);
      return false;
    }
    const message = hearing.message();
    const { request, messages } = this.#state;
    this.#services.memory.remember(request, messages, message);
    this.#append([message], this.#state.turn + 1);
    this.#state = { ...this.#state, tokens: this.#state.tokens + hearing.tokens };
    const { messages: all, turn, maxTurns, calls, maxCalls = 0, tokens, totalTokens = 0 } = this.#state;
    const step = decideNextStep({
      ...hearing.calls(),
      ...{ turn, maxTurns, calls, maxCalls, tokens, totalTokens },
      overdue: this.#overdue,
      repeats: Math.max(countRepeats(all, this.#keys), countCircle(all, this.#keys)),
      spoke: hearing.spoke,
    });
    return yield* this.#follow(step, hearing);
  }

  async *#takeTurn(signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    const { factory, strategy, registry, callsHandedOver } = this.#services;
    const { request, gatewayTools, messages, turn } = this.#state;
    const { caller: _, model, pinnedToolMode: __, ...conversation } = request;
    const tools = [...registry.select(gatewayTools).map(({ spec }) => spec), ...request.tools];
    // A demand for a call is met by the first turn; kept up, it would never let the model answer.
    const toolChoice = turn > 0 && demandsCall(request.toolChoice) ? ({ type: "auto" } as const) : request.toolChoice;
    const toolsOffered = tools.length > 0 && toolChoice.type !== "none";
    this.#chosen ??= await factory.choose(model, { ...request, toolsOffered }, signal);
    const chosen = this.#chosen;
    if (chosen) {
      const calls = { handedOver: callsHandedOver, gateway: new Set(gatewayTools) };
      yield* takeTurn(
        { conversation: { ...conversation, messages, tools, toolChoice }, chosen, strategy, calls },
        signal,
      );
    } else {
      yield* unserved(model);
    }
  }

  *#pass(event: TurnEvent, hearing: TurnHearing): Generator<RunEvent> {
    switch (event.type) {
      case "text-delta":
        if (!this.#bound) yield* this.#text(event, hearing);
        return;
      case "tool-call":
        if (!hearing.isGateway(event.call)) yield event;
        return;
      // The end of a turn waits for what follows from it.
      case "turn-end":
      case "turn-failed":
        return;
      case "turn-start":
      case "reasoning-delta":
      case "format-issue":
      case "attempt":
        yield event;
        return;
      default:
        event satisfies never;
    }
  }

  /** Content, set off from that of earlier turns by a blank line, which no stored message has. */
  *#text(event: Extract<TurnEvent, { type: "text-delta" }>, hearing: TurnHearing): Generator<RunEvent> {
    const visible = event.text.trim() !== "";
    if (visible && this.#sentText && !hearing.textPassed) yield { type: "text-delta", text: TEXT_BREAK };
    if (visible) {
      hearing.textPassed = true;
      this.#sentText = true;
    }
    yield event;
  }

  async *#follow(step: NextStep, hearing: TurnHearing): AsyncGenerator<RunEvent, boolean, undefined> {
    switch (step.type) {
      case "final-answer":
      case "no-answer":
        yield* this.#heldText(hearing);
        yield* this.#finish(hearing, step.type === "final-answer" ? "answered" : "no-answer");
        return false;
      case "hand-over":
        yield* this.#heldText(hearing);
        yield* this.#execute(step.execute, hearing);
        if (this.#cancelled.aborted) return yield* this.#cancel();
        yield* this.#carryResults();
        yield* this.#finish(hearing, "handed-over");
        return false;
      case "stop":
        yield* this.#stop(hearing, step.limit);
        return false;
      case "run-again":
        yield* this.#execute(step.execute, hearing);
        if (this.#cancelled.aborted) return yield* this.#cancel();
        if (this.#overdue) {
          yield* this.#stop(hearing, "time");
          return false;
        }
        yield hearing.endAs("stop");
        return true;
      default:
        return step satisfies never;
    }
  }

  async *#execute(calls: readonly ToolCall[], hearing: TurnHearing): AsyncGenerator<RunEvent, void, undefined> {
    const { registry, parallelTools, callsPerTurn, toolOutputChars, toolMs } = this.#services;
    const executed = yield* executeCalls(calls, {
      registry,
      run: this.#state.id,
      signal: this.#signal,
      outputChars: toolOutputChars,
      defaultTimeoutMs: toolMs,
      parallel: parallelTools,
      allowance: allowanceOf(this.#state, callsPerTurn),
      earlier: countRepeats(this.#state.messages, this.#keys) > 1 ? this.#executed : [],
      keys: this.#keys,
    });
    const ran = executed.filter((one) => one.ran);
    this.#executed.push(...ran);
    const messages = executed.map(
      ({ call, result }): Message => ({
        role: "tool",
        content: result.content,
        toolCallId: call.id,
        name: call.name,
      }),
    );
    const { request, turn } = this.#state;
    this.#state = { ...this.#state, calls: this.#state.calls + ran.length };
    const isTime =
      isLastTurnNext(this.#state, hearing.tokens) ||
      bringsNothingNew(this.#state, { results: messages, ran: ran.length, keys: this.#keys });
    this.#append(isTime && executed.length > 0 ? askForAnswer(messages, request.output) : messages, turn);
  }

  #append(messages: readonly Message[], turn: number): void {
    this.#state = { ...this.#state, messages: [...this.#state.messages, ...messages], turn };
  }

  /** The text of a bound turn that turned out to be the last. */
  *#heldText(hearing: TurnHearing): Generator<RunEvent> {
    if (!this.#bound || hearing.text === "") return;
    this.#sentText = true;
    const { text, extra } = hearing;
    yield { type: "text-delta", text, ...(extra.length > 0 && { extra }) };
  }

  /** The client's history has only what was sent, so what the gateway's tools said must be in it. */
  *#carryResults(): Generator<RunEvent> {
    if (this.#executed.length === 0) return;
    const text = carriedResults(this.#executed);
    yield { type: "text-delta", text: this.#sentText ? TEXT_BREAK + text : text };
  }

  *#finish(hearing: TurnHearing, outcome: Exclude<RunOutcome, "limit">): Generator<RunEvent> {
    yield hearing.endAs(undefined);
    yield { type: "run-end", outcome, turns: this.#state.turn };
  }

  *#stop(hearing: TurnHearing, limit: RunLimit): Generator<RunEvent> {
    yield hearing.endAs("length");
    yield { type: "run-end", outcome: "limit", limit, turns: this.#state.turn };
  }

  /** A turn without an end: the caller left, the run's time was up, or it failed. */
  *#broken(hearing: TurnHearing): Generator<RunEvent> {
    if (this.#cancelled.aborted) {
      yield* this.#cancel();
    } else if (this.#overdue) {
      yield* this.#stop(hearing, "time");
    } else {
      yield { type: "turn-failed", failure: hearing.failure };
    }
  }

  *#cancel(): Generator<RunEvent, false> {
    const message = "The run was cancelled before it had an answer.";
    yield { type: "turn-failed", failure: failure("cancelled", message) };
    yield { type: "run-end", outcome: "cancelled", turns: this.#state.turn };
    return false;
  }
}

async function* unserved(model: string): AsyncGenerator<TurnEvent, void, undefined> {
  const message = `No upstream of this gateway serves the model ${JSON.stringify(model)}. GET /v1/models lists the models that are served.`;
  yield { type: "turn-failed", failure: failure("model_not_found", message, { param: "model" }) };
}
