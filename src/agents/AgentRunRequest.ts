// What a run of an agent is asked with. Types alone.
import type { JsonObject } from "../core/messages.ts";
import type { RunLimits } from "../core/requests.ts";
import type { SessionMode } from "../core/stores.ts";
import type { TaskRequest } from "./planning/buildTaskMessage.ts";

export interface AgentRunRequest extends TaskRequest {
  /** What is given can only lower the agent's own limits. */
  readonly limits?: Partial<RunLimits> | undefined;
  /** JSON Schema of what is read out of the work once it has ended by itself. */
  readonly output?: JsonObject | undefined;
  /** True where the run must not wait for a person, whatever its agent says. */
  readonly nonInteractive?: boolean | undefined;
  /** `normal`: without the tools of the agent. Absent: `agent`. */
  readonly mode?: SessionMode | undefined;
  /** The session that the run is a turn of. */
  readonly sessionId?: string | undefined;
  /** True where what its messages say may stem from somebody outside of the gateway. */
  readonly untrusted?: true | undefined;
  /** False where whoever could decide is not there: what needs a person is then refused, and the model is told so. */
  readonly interactive: boolean;
}
