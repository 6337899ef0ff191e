// A way to ask a model.
import type { ToolMode } from "../core/messages.ts";
import type { Seen } from "./capabilities/ObservedCapabilityWriter.ts";
import type { PassThroughClient } from "./clients/PassThroughClient.ts";
import type { ModelWindow } from "./discovery/ContextWindows.ts";
import type { ModelClient } from "./ModelClient.ts";

/** One way to ask a model: at an upstream, in a mode. */
export interface Route {
  readonly upstream: string;
  /** `upstream/model`: key of evidence and breakers. */
  readonly key: string;
  /** The name that the upstream is asked for; of an alias its model's. */
  readonly model: string;
  readonly mode: ToolMode;
  readonly client: ModelClient;
  /** `off`: the output of the upstream's models is passed on unchanged. */
  readonly parse: "on" | "off";
  /** Quirks of the upstream's wire that apply to every model. */
  readonly quirks?: readonly string[] | undefined;
  /** True if the upstream replays answers that were recorded for another prompt. */
  readonly recorded?: boolean | undefined;
  /** Stores what the gateway observed of the model, also for other requests; absent in a replay. */
  readonly remember?: ((seen: Seen) => void) | undefined;
  /**
   * Asks a capable server if the model supports tools. Resolves when that is known, or after a short time. Undefined if there is no need
   * to wait. Absent in a replay.
   */
  readonly toolSupport?: ((signal: AbortSignal) => Promise<void> | undefined) | undefined;
  /** Returns the context window that the upstream states for the model. Absent in a replay. */
  readonly window?: ModelWindow | undefined;
  /** For requests other than conversations; absent if the upstream serves only conversations. */
  readonly passThrough?: Pick<PassThroughClient, "pass"> | undefined;
}
