// Formats results of gateway tools as content for a client that takes over, because its next request contains only what it was sent.
import type { ExecutedCall } from "../../core/runs/RunState.ts";

/** Heading before the results of gateway tools in an answer. */
export const CARRIED = "Tools that were already run:";

/** One paragraph per call, in the order of the calls. */
export function joinResults(executed: readonly ExecutedCall[]): string {
  const paragraphs = executed.map(({ call, result }) => `${call.name}(${call.arguments}) returned:\n${result.content}`);
  return [CARRIED, ...paragraphs].join("\n\n");
}
