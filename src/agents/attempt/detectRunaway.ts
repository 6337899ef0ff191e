// When an answer repeats one call without end. Counts equal calls; stops nobody itself.

import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import { callKey } from "../../core/runs/callKey.ts";

type Named = Parameters<typeof callKey>[0];

/** The equal call with which an answer is over. What is meant several times is seldom meant so often; a model that loops never ends. */
const ONE_TOO_MANY = 8;

/** Counts the calls of one answer. */
export class EqualCalls {
  #seen: Map<string, number> | undefined;

  /** True for the equal call that is one too many, and for each after it. */
  add(call: Named): boolean {
    const key = callKey(call);
    this.#seen ??= new Map();
    const times = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, times);
    return times >= ONE_TOO_MANY;
  }
}

/** Characters of arguments that are compared in one turn of the event loop, beside the last call's. */
const COMPARED_A_TURN = 65_536;
/** What it costs to compare a call, however short, in characters. */
const CALL_COST = 256;

/** The calls before the one that is too many, and that one if there is any. */
export function* stopAtRunaway<Call extends Named>(
  calls: Iterable<Call>,
): Generator<typeof YIELD, { readonly calls: readonly Call[]; readonly tooMany?: Call | undefined }, undefined> {
  const counted = new EqualCalls();
  const before: Call[] = [];
  const pace = new YieldBudget(COMPARED_A_TURN);
  for (const call of calls) {
    if (pace.due(call.arguments.length + CALL_COST)) yield YIELD;
    if (counted.add(call)) return { calls: before, tooMany: call };
    before.push(call);
  }
  return { calls: before };
}

export function createRunawayIssue({ name }: Named, family: string): FormatIssue {
  const message = `The model made the same call of ${name} for the ${ONE_TOO_MANY}th time in one answer, which was ended there.`;
  return { code: "repeated-call", message, family, tool: name };
}
