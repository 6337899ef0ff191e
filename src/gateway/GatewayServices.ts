// The services of a gateway, which the commands and the HTTP server use, and the options to open them.
import type { AgentRunner } from "../agents/AgentRunner.ts";
import type { RunnerApi } from "../agents/redactFailures.ts";
import type { Activity } from "../agents/run/toActivity.ts";
import type { Config } from "../core/config/configuration.ts";
import type { AlarmClock, Clock, Egress, Ids, Observer, ProcessPort, Random, Redact } from "../core/ports.ts";
import type { Store } from "../core/stores.ts";
import type { ReplayServers } from "../core/tools/mcpCalls.ts";
import type { WriteHealth } from "../core/WriteHealth.ts";
import type { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { RunService } from "../runs/RunService.ts";
import type { SessionService } from "../sessions/SessionService.ts";
import type { StoredAuditLog } from "../stores/audit/StoredAuditLog.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";

export interface GatewayServices {
  readonly runner: Pick<AgentRunner, RunnerApi>;
  readonly directory: ModelDirectory;
  readonly detector: ModelCapabilityDetector;
  readonly registry: ToolRegistry;
  readonly store: Store;
  /** The audit log; absent if none is written. */
  readonly trail?: StoredAuditLog | undefined;
  readonly health: WriteHealth;
  readonly runs: RunService;
  readonly sessions: SessionService;
  readonly agents: Config["agents"];
  readonly workflows: Config["workflows"];
  readonly server: Config["server"];
  readonly limits: Config["limits"];
  readonly timeouts: Config["timeouts"];
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
  readonly ids: Ids;
  readonly clock: AlarmClock;
  readonly observer: Observer;
  readonly redact: Redact;
  /** Starts background work: takes up runs that another process left, and reports the head of the audit log. */
  start(): void;
  /** Waits for running exchanges, writes pending data and closes idle connections. */
  close(): Promise<void>;
}

interface Replay {
  readonly egress: Egress;
  readonly processes: ProcessPort;
  readonly servers: ReplayServers;
  readonly clock: Clock;
  readonly random: Random;
}

export interface GatewayServicesOptions {
  /** Folder into which every exchange is recorded. */
  readonly recordTo?: string | undefined;
  /** Replaces the network, programs and MCP servers in a replay. `clock` is the recorded time; its waits between attempts end at once. */
  readonly replay?: Replay | undefined;
  /** Receivers of observations. Absent: a log on standard error, formatted for users if that is a terminal. */
  readonly observers?: readonly Observer[] | undefined;
  /** Called with the activities of each run, by its id; an error that it throws fails the run. */
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}
