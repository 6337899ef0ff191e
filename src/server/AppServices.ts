// The services that compose hands to the HTTP routes.
import type { AgentRunner } from "../agents/AgentRunner.ts";
import type { AgentConfig, LimitsConfig, ServerConfig, TimeoutsConfig } from "../core/config/configuration.ts";
import type { WorkflowConfig } from "../core/config/workflows.ts";
import type { AlarmClock, Ids, Observer, Redact } from "../core/ports.ts";
import type { Store } from "../core/stores/Store.ts";
import type { WriteHealth } from "../core/WriteHealth.ts";
import type { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { RunService } from "../runs/RunService.ts";
import type { SessionService } from "../sessions/SessionService.ts";

export interface AppServices {
  readonly runner: Pick<AgentRunner, "complete">;
  readonly runs: Pick<
    RunService,
    | "ask"
    | "start"
    | "decide"
    | "decideAll"
    | "resume"
    | "record"
    | "list"
    | "open"
    | "events"
    | "cancel"
    | "feedback"
    | "interrupt"
  >;
  readonly sessions: Pick<SessionService, "ask" | "start" | "decide" | "get" | "setMode" | "delete">;
  /** Opened on first use. */
  readonly store: Store;
  /** The audit log; absent if none is configured. */
  readonly trail?: { tryToWrite(): Promise<void> } | undefined;
  readonly health: WriteHealth;
  readonly directory: Pick<ModelDirectory, "resolve" | "list">;
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "recall">;
  readonly agents: readonly AgentConfig[];
  readonly workflows: readonly WorkflowConfig[];
  readonly server: ServerConfig;
  readonly limits: LimitsConfig;
  readonly timeouts: Pick<TimeoutsConfig, "clientStallMs" | "answerMs">;
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
  readonly ids: Ids;
  readonly clock: AlarmClock;
  readonly observer: Observer;
  /** Redacts failures before they are sent to a client; those of turns are redacted already. */
  readonly redact: Redact;
  /** Aborted at shutdown: new work is refused, active work continues. */
  readonly stopSignal: AbortSignal;
}
