// Takes the turns of one run, all of them with one agent: what its upstream has refused once is not sent again. Runs no tool.

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
  /** Calls of one turn that are handed to the client. */
  readonly maxClientCalls: number;
}

export class TurnRunner {
  readonly #services: TurnServices;
  #chosen: ChosenAgent | undefined;

  constructor(services: TurnServices) {
    this.#services = services;
  }

  /** The next turn of the run; its last event is its one `turn-end` or `turn-failed`. @throws PostelError for a tool that is no more, and what `take` throws. */
  async take(state: RunState, signal: AbortSignal, take: EventSink<TurnEvent>): Promise<void> {
    const { strategy, registry, maxClientCalls } = this.#services;
    const { request, gatewayTools, messages, phase, executed } = state;
    const { caller: _, model, pinnedToolMode: __, ...conversation } = request;
    const own = registry.select(gatewayTools).map(({ spec }) => spec);
    const tools = selectOfferedTools(own, request);
    const toolChoice = resolveToolChoice(state);
    this.#chosen ??= await this.#choose(state, allowsToolCalls({ tools, toolChoice }), signal);
    const chosen = this.#chosen;
    if (!chosen) {
      await take([createUnservedModelFailure(model)]);
      return;
    }
    const calls = { handedOver: maxClientCalls, gateway: new Set(gatewayTools) };
    const shown = isLastTurn(state) && { shownTools: tools.filter(({ name }) => !calls.gateway.has(name)) };
    // A call is known by its id, also once its message is not told to the model any more.
    const ids = gatewayTools.length > 0 && { executedIds: executed.map(({ call }) => call.id) };
    const asked: AttemptConversation = {
      ...conversation,
      ...{ messages, tools, toolChoice, quotable: collectQuotable(state) },
      ...shown,
      ...ids,
      ...(phase && buildPhaseRequest(state, phase, tools)),
    };
    // A demand for a call is not met by a quotation.
    const asks = state.interactive && !demandsCall(asked.toolChoice);
    const told = asks ? { ...asked, askAboutQuotes: calls.gateway } : asked;
    await runTurn({ conversation: told, chosen, strategy, calls }, signal, take);
  }

  async #choose({ request, toolMode }: RunState, toolsOffered: boolean, signal: AbortSignal) {
    const chosen = await this.#services.factory.choose(request.model, { ...request, toolsOffered }, signal);
    // The run went on by another way before it was resumed here.
    while (toolMode !== undefined && chosen?.nextRoute && chosen.agent.toolMode !== toolMode) chosen.nextRoute();
    return chosen;
  }
}

/** Absent where the messages say all that is known. */
function collectQuotable({ executed, within, workflow }: RunState): Quotable | undefined {
  const isDelegated = within !== undefined || workflow !== undefined;
  return executed.length > 0 || isDelegated ? { executed, isDelegated } : undefined;
}

/** A demand for a call is met by the first turn of the work; kept up, it would never let the model answer. */
function resolveToolChoice({ request: { toolChoice }, turn, planned }: RunState): ToolChoice {
  return turn > (planned ? 1 : 0) && demandsCall(toolChoice) ? { type: "auto" } : toolChoice;
}
