// Where tools come from: a list that can be asked for again. Knows no registry and no run.
import type { Tool } from "./Tool.ts";

export interface ToolSource {
  /** True where `list` would give other tools than it gave last. */
  readonly changed: boolean;
  /** The id of the server that offers them; absent: the configuration says which there are. */
  readonly server?: string | undefined;
  /** Why the server offers nothing now, as a sentence; undefined while it can be reached. */
  readonly outage?: string | undefined;
  /** The tools there are now. Rejects with a PostelError where the source cannot tell. */
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  /** Ends what it keeps running. */
  close?(): Promise<void>;
}

/** Tools that stay as they are while the gateway runs. */
export function createFixedSource(tools: readonly Tool[]): ToolSource {
  return { changed: false, list: async () => tools };
}
