// The flags of `postel run` and `postel record`. Types alone.
import type { UpstreamFlags } from "../options/loadFlags.ts";
import type { TaskFlags } from "./buildRunRequest.ts";

export interface RunFlags extends UpstreamFlags, TaskFlags {
  readonly record?: string | undefined;
  /** The file that keeps the run, instead of the configuration's, or of this user's where somebody is at the terminal. */
  readonly store?: string | undefined;
  /** The id of a run that waits, or was left, and goes on instead of a new one. */
  readonly resume?: string | undefined;
  /** True where calls that only a rule holds are agreed to beforehand. */
  readonly yes?: boolean | undefined;
  /** True where one JSON object is all that goes to standard output. */
  readonly json?: boolean | undefined;
  /** True where nothing is told of what goes on. */
  readonly quiet?: boolean | undefined;
}
