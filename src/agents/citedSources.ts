// What the results of a run rest on, out of its state. Believes what its tools say; asks nobody.
import type { RunState } from "../core/run.ts";
import type { CitedSource } from "../core/sources.ts";

/** Of one run: an answer of more has no readers for them. */
const MOST = 200;

/** Each once, in the order in which they came. */
export function citedSources({ executed, open }: Pick<RunState, "executed" | "open">): readonly CitedSource[] {
  const results = [...executed, ...(open?.settled.filter(({ ran }) => ran) ?? [])].map(({ result }) => result);
  const cited = results.flatMap(({ name, sources = [] }) => sources.map((source) => ({ tool: name, ...source })));
  // By what they say.
  return [...new Map(cited.map((one) => [JSON.stringify(one), one])).values()].slice(0, MOST);
}
