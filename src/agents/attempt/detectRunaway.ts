// Detects an answer that repeats one call without end.

import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import { callKey } from "../../core/runs/callKey.ts";

type Named = Parameters<typeof callKey>[0];

/** Number of equal calls at which an answer is ended. Intended repetitions are rarer, and a looping model never stops. */
const ONE_TOO_MANY = 8;

/** Counts the equal calls of one answer. */
export class EqualCalls {
  #callCounts: Map<string, number> | undefined;

  /** Returns true for the equal call that exceeds the limit, and for each later one. */
  add(call: Named): boolean {
    const key = callKey(call);
    this.#callCounts ??= new Map();
    const times = (this.#callCounts.get(key) ?? 0) + 1;
    this.#callCounts.set(key, times);
    return times >= ONE_TOO_MANY;
  }
}

/** Characters of arguments that are compared in one event-loop tick, without those of the last call. */
const COMPARED_A_TURN = 65_536;
/** Minimum cost of comparing a call, in characters. */
const CALL_COST = 256;

/** Splits calls at the first one that exceeds the limit of equal calls, if there is one. */
export function* stopAtRunaway<Call extends Named>(
  calls: Iterable<Call>,
): Generator<typeof YIELD, { readonly calls: readonly Call[]; readonly tooMany?: Call | undefined }, undefined> {
  const equalCalls = new EqualCalls();
  const before: Call[] = [];
  const pace = new YieldBudget(COMPARED_A_TURN);
  for (const call of calls) {
    if (pace.isDue(call.arguments.length + CALL_COST)) yield YIELD;
    if (equalCalls.add(call)) return { calls: before, tooMany: call };
    before.push(call);
  }
  return { calls: before };
}

export function createRunawayIssue({ name }: Named, family: string): FormatIssue {
  const message = `The model made the same call of ${name} for the ${ONE_TOO_MANY}th time in one answer, which was ended there.`;
  return { code: "repeated-call", message, family, tool: name };
}
