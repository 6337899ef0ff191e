// Results of gateway tools as content, for a client that takes over: its next request brings back only what it was sent.
import type { ExecutedCall } from "../../core/runs/RunState.ts";

/** Stands before the results of gateway tools in an answer. */
export const CARRIED = "Tools that were already run:";

/** One paragraph a call, in the order in which they were made. */
export function joinResults(executed: readonly ExecutedCall[]): string {
  const paragraphs = executed.map(({ call, result }) => `${call.name}(${call.arguments}) returned:\n${result.content}`);
  return [CARRIED, ...paragraphs].join("\n\n");
}
