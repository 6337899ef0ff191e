// Resolves the limits of a run for tokens, calls, money and time, before its first step.

import type { AgentConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RunLimits } from "../../core/requests.ts";
import { takeStricter } from "../../core/runs/budget.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { ModelCapabilityDetector } from "../../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../../models/ModelDirectory.ts";

interface Asked {
  readonly agent: Pick<AgentConfig, "limits">;
  /** Limits of the caller; only lower ones count. */
  readonly requestedLimits: Partial<RunLimits> | undefined;
  /** Name of the run's model. */
  readonly model: string;
  /** Name of the model that writes summaries, if it differs. */
  readonly summarist?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Sources of model prices. */
export interface BudgetServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect">;
}

/** @throws PostelError for a money budget if the price of a model is unknown. */
export function planBudget(
  { agent, requestedLimits, model, summarist = model, now }: Asked,
  { directory, detector }: BudgetServices,
): Pick<RunState, "maxTurns" | "maxCalls" | "totalTokens" | "maxMoney" | "prices" | "deadline"> {
  const { timeoutMs, maxMoney, ...limits } = takeStricter(agent.limits, requestedLimits);
  const [route] = directory.resolve(model);
  const prices = route && detector.detect({ model: route.model, key: route.key }).prices;
  for (const subject of maxMoney === undefined ? [] : [model, summarist]) {
    const [known] = directory.resolve(subject);
    const isPriced = known && detector.detect({ model: known.model, key: known.key }).prices !== undefined;
    if (known && !isPriced) throwMissingPrices(subject, requestedLimits?.maxMoney !== undefined);
  }
  return {
    ...limits,
    ...(maxMoney !== undefined && { maxMoney }),
    ...(prices && { prices }),
    deadline: now + timeoutMs,
  };
}

function throwMissingPrices(model: string, isFromCaller: boolean): never {
  const message = `A money budget needs the prices of the model ${JSON.stringify(model)}. Write \`prices: {input: …, output: …}\`, each for a million tokens, in a row for it under \`models:\` of postel.yaml, or leave \`budget.money\` out.`;
  throw new PostelError(
    isFromCaller
      ? createFailure("invalid_request", message, { param: "budget.money" })
      : createFailure("invalid_configuration", message),
  );
}
