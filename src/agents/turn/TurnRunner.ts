// Runs the turns of one run with one agent, so that a request that the upstream refused once is not sent again.

import type { EventSink } from "../../core/events/EventSink.ts";
import type { TurnEvent } from "../../core/events/events.ts";
import { demandsCall, type ToolChoice } from "../../core/messages.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { ToolRegistry } from "../../tools/ToolRegistry.ts";
import type { AttemptConversation, Quotable } from "../Agent.ts";
import type { AgentFactory, ChosenAgent } from "../AgentFactory.ts";
import { allowsToolCalls } from "../attempt/toolChoiceRules.ts";
import { createUnservedModelFailure, selectOfferedTools } from "../prompting/offeredTools.ts";
import { isLastTurn } from "../run/runLimits.ts";
import { buildPhaseRequest } from "../run/runPhases.ts";
import type { RetryStrategy } from "./RetryStrategy.ts";
import { runTurn } from "./runTurn.ts";

export interface TurnServices {
  readonly factory: Pick<AgentFactory, "choose">;
  readonly strategy: RetryStrategy;
  readonly registry: Pick<ToolRegistry, "select">;
  /** Maximum number of calls of one turn that go to the client. */
  readonly maxClientCalls: number;
}

export class TurnRunner {
  readonly #services: TurnServices;
  #chosen: ChosenAgent | undefined;

  constructor(services: TurnServices) {
    this.#services = services;
  }

  /** Runs the next turn; its last event is its one `turn-end` or `turn-failed`. @throws PostelError for a tool that no longer exists, and what `take` throws. */
  async runTurn(state: RunState, signal: AbortSignal, onEvents: EventSink<TurnEvent>): Promise<void> {
    const { strategy, registry, maxClientCalls } = this.#services;
    const { request, gatewayTools, messages, phase, executed } = state;
    const { caller: _, model, pinnedToolMode: __, ...conversation } = request;
    const own = registry.select(gatewayTools).map(({ spec }) => spec);
    const tools = selectOfferedTools(own, request);
    const toolChoice = resolveToolChoice(state);
    this.#chosen ??= await this.#choose(state, allowsToolCalls({ tools, toolChoice }), signal);
    const chosen = this.#chosen;
    if (!chosen) {
      await onEvents([createUnservedModelFailure(model)]);
      return;
    }
    const calls = { handedOver: maxClientCalls, gateway: new Set(gatewayTools) };
    const shownTools = isLastTurn(state) && { shownTools: tools.filter(({ name }) => !calls.gateway.has(name)) };
    // Ids stay in use after their messages were dropped from the conversation.
    const ids = gatewayTools.length > 0 && { executedIds: executed.map(({ call }) => call.id) };
    const attempt: AttemptConversation = {
      ...conversation,
      ...{ messages, tools, toolChoice, quotable: collectQuotable(state) },
      ...shownTools,
      ...ids,
      ...(phase && buildPhaseRequest(state, phase, tools)),
    };
    // A quotation does not satisfy a demand for a call.
    const mayAsk = state.interactive && !demandsCall(attempt.toolChoice);
    const asking = mayAsk ? { ...attempt, askAboutQuotes: calls.gateway } : attempt;
    await runTurn({ conversation: asking, chosen, strategy, calls }, signal, onEvents);
  }

  async #choose({ request, toolMode }: RunState, toolsOffered: boolean, signal: AbortSignal) {
    const chosen = await this.#services.factory.choose(request.model, { ...request, toolsOffered }, signal);
    // The run had switched to another route before it was resumed here.
    while (toolMode !== undefined && chosen?.nextRoute && chosen.agent.toolMode !== toolMode) chosen.nextRoute();
    return chosen;
  }
}

/** Returns undefined if the messages contain everything. */
function collectQuotable({ executed, within, workflow }: RunState): Quotable | undefined {
  const isDelegated = within !== undefined || workflow !== undefined;
  return executed.length > 0 || isDelegated ? { executed, isDelegated } : undefined;
}

/** Only the first turn of the work must call a tool; otherwise the model could never answer. */
function resolveToolChoice({ request: { toolChoice }, turn, planned }: RunState): ToolChoice {
  return turn > (planned ? 1 : 0) && demandsCall(toolChoice) ? { type: "auto" } : toolChoice;
}
