// What a run may use of tokens, calls, money and time, told before its first step. Counts nothing.

import type { AgentConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RunLimits } from "../../core/requests.ts";
import { takeStricter } from "../../core/runs/budget.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { ModelCapabilityDetector } from "../../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../../models/ModelDirectory.ts";

interface Asked {
  readonly agent: Pick<AgentConfig, "limits">;
  /** What the caller allows, where that is less. */
  readonly given: Partial<RunLimits> | undefined;
  /** The name of the model that is asked. */
  readonly model: string;
  /** Who writes its summaries, where that is another. */
  readonly summarist?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Who knows what a model costs. */
export interface BudgetServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect">;
}

/** @throws PostelError for a budget of money where nobody knows what the model costs. */
export function planBudget(
  { agent, given, model, summarist = model, now }: Asked,
  { directory, detector }: BudgetServices,
): Pick<RunState, "maxTurns" | "maxCalls" | "totalTokens" | "maxMoney" | "prices" | "deadline"> {
  const { timeoutMs, maxMoney, ...limits } = takeStricter(agent.limits, given);
  const [route] = directory.resolve(model);
  const prices = route && detector.detect({ model: route.model, key: route.key }).prices;
  for (const asked of maxMoney === undefined ? [] : [model, summarist]) {
    const [known] = directory.resolve(asked);
    const isPriced = known && detector.detect({ model: known.model, key: known.key }).prices !== undefined;
    if (known && !isPriced) refuseUnpriced(asked, given?.maxMoney !== undefined);
  }
  return {
    ...limits,
    ...(maxMoney !== undefined && { maxMoney }),
    ...(prices && { prices }),
    deadline: now + timeoutMs,
  };
}

function refuseUnpriced(model: string, byCaller: boolean): never {
  const message = `A budget of money needs to know what the model ${JSON.stringify(model)} costs. Write \`prices: {input: …, output: …}\`, each for a million tokens, in a row for it under \`models:\` of postel.yaml, or leave \`budget.money\` out.`;
  throw new PostelError(
    byCaller
      ? createFailure("invalid_request", message, { param: "budget.money" })
      : createFailure("invalid_configuration", message),
  );
}
