// The tool source port: a list of tools that can change.
import type { Tool } from "./Tool.ts";

export interface ToolSource {
  /** True if `list` would return other tools than the last time. */
  readonly hasChanged: boolean;
  /** Id of the server that offers the tools; absent: the configuration lists them. */
  readonly server?: string | undefined;
  /** Sentence that says why the server offers nothing now; undefined while it is reachable. */
  readonly outage?: string | undefined;
  /** The present tools. Rejects with a PostelError if the source cannot list them. */
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  /** Ends the processes and connections of the source. */
  close?(): Promise<void>;
}

/** A source whose tools never change. */
export function createFixedSource(tools: readonly Tool[]): ToolSource {
  return { hasChanged: false, list: async () => tools };
}
