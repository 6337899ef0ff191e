// Types of the flags of `postel run` and `postel record`.
import type { UpstreamFlags } from "../options/loadFlags.ts";
import type { TaskFlags } from "./buildRunRequest.ts";

export interface RunFlags extends UpstreamFlags, TaskFlags {
  readonly record?: string | undefined;
  /** Store file of the run; replaces that of the configuration and the user's default store. */
  readonly store?: string | undefined;
  /** Id of a waiting or abandoned run that is resumed instead of a new one. */
  readonly resume?: string | undefined;
  /** True if calls that only a policy holds back are approved in advance. */
  readonly yes?: boolean | undefined;
  /** True if standard output carries only one JSON object. */
  readonly json?: boolean | undefined;
  /** True if progress is not shown. */
  readonly quiet?: boolean | undefined;
}
