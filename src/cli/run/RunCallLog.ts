// Collects the calls of a run with their duration and result.
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";

export interface RunCall {
  readonly name: string;
  /** The executed arguments; absent if the call was rejected before it was shown. */
  readonly arguments?: string | undefined;
  readonly origin?: ToolCall["origin"] | undefined;
  /** Name of the nested agent that made the call, if any. */
  readonly agent?: string | undefined;
  /** Milliseconds from its start until its result; absent if it never began, or has no result. */
  readonly ms?: number | undefined;
  /** Absent if there is no result. */
  readonly isError?: boolean | undefined;
}

type Result = Pick<Extract<RunEvent, { type: "tool-result" }>, "name" | "isError">;

export class RunCallLog {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #calls = new Map<string, RunCall & { readonly since?: number | undefined }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Calls in the order of their first event. */
  get all(): readonly RunCall[] {
    return [...this.#calls.values()].map(({ since: _, ...call }) => call);
  }

  /** Names of the calls that are running. */
  get running(): readonly string[] {
    return [...this.#calls.values()].flatMap(({ since, ms, name }) =>
      since === undefined || ms !== undefined ? [] : name,
    );
  }

  /** The call waits for the user. */
  addCall({ id, name, arguments: args, origin }: ToolCall): void {
    this.#calls.set(id, { name, arguments: args, origin });
  }

  began({ id, name, arguments: args, origin }: ToolCall, agent?: string): void {
    this.#calls.set(id, { name, arguments: args, origin, agent, since: this.#clock.monotonic() });
  }

  /** An async call ends twice: when its task has started, and when the task is done. */
  endCall(id: string, { name, isError }: Result, agent?: string): RunCall {
    const startedCall = this.#calls.get(id) ?? { name, agent };
    const since = "since" in startedCall ? startedCall.since : undefined;
    const call = { ...startedCall, isError, ...(since !== undefined && { ms: this.#clock.monotonic() - since }) };
    this.#calls.set(id, call);
    return call;
  }
}
