// When an answer repeats one call without end. Counts equal calls; stops nobody itself.
import { callKey } from "../core/callKey.ts";
import type { FormatIssue } from "../core/issues.ts";

type Named = Parameters<typeof callKey>[0];

/** The equal call with which an answer is over. What is meant several times is seldom meant so often; a model that loops never ends. */
const ONE_TOO_MANY = 8;

/** Counts the calls of one answer. */
export class EqualCalls {
  readonly #seen = new Map<string, number>();

  /** True for the equal call that is one too many, and for each after it. */
  add(call: Named): boolean {
    const key = callKey(call);
    const times = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, times);
    return times >= ONE_TOO_MANY;
  }
}

/** The calls before the one that is too many, and that one if there is any. */
export function untilRunaway<Call extends Named>(
  calls: readonly Call[],
): { readonly calls: readonly Call[]; readonly tooMany?: Call | undefined } {
  const counted = new EqualCalls();
  const at = calls.findIndex((call) => counted.add(call));
  return at < 0 ? { calls } : { calls: calls.slice(0, at), tooMany: calls[at] };
}

export function runawayIssue({ name }: Named, family: string): FormatIssue {
  const message = `The model made the same call of ${name} for the ${ONE_TOO_MANY}th time in one answer, which was ended there.`;
  return { code: "repeated-call", message, family, tool: name };
}
