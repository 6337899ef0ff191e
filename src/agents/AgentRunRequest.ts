// The request of an agent run. Types only.
import type { JsonObject } from "../core/messages.ts";
import type { RunLimits } from "../core/requests.ts";
import type { SessionMode } from "../core/stores/SessionStore.ts";
import type { TaskRequest } from "./planning/buildTaskMessage.ts";

export interface AgentRunRequest extends TaskRequest {
  /** These limits can only lower the limits of the agent. */
  readonly limits?: Partial<RunLimits> | undefined;
  /** JSON Schema of the data that is extracted from the work after the model's final answer. */
  readonly output?: JsonObject | undefined;
  /** True if the run must not wait for an approver, whatever its agent allows. */
  readonly nonInteractive?: boolean | undefined;
  /** `normal` leaves out the agent's tools. Absent: `agent`. */
  readonly mode?: SessionMode | undefined;
  /** The session to which the run adds a turn. */
  readonly sessionId?: string | undefined;
  /** True if the messages may contain content from an untrusted source. */
  readonly untrusted?: true | undefined;
  /** False if no approver is available: calls that need one are refused, and the model is told so. */
  readonly interactive: boolean;
}
