// A refused request as it is asked again. Knows no upstream and sends nothing.
import type { Learnable } from "./Mend.ts";
import type { ModelRequest } from "./ModelClient.ts";
import { MENDS } from "./mends.ts";

/** The request without what was refused; undefined where nothing is left to change here: text mode is the agents' business. */
export function mendRequest(request: ModelRequest, refused: string): ModelRequest | undefined {
  const { capabilities } = request;
  const changes = MENDS.get(refused)?.learn(capabilities);
  if (!changes || changes.tools === "text" || !isNews(changes, capabilities)) return undefined;
  return { ...request, capabilities: { ...capabilities, ...changes } };
}

function isNews(changes: Partial<Learnable>, known: Learnable): boolean {
  return JSON.stringify({ ...known, ...changes }) !== JSON.stringify(known);
}
