// The calls of a run: what was called, how long each took and what came of it. Writes nothing.
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";

export interface RunCall {
  readonly name: string;
  /** As they ran; absent of a call that was refused before anybody was shown it. */
  readonly arguments?: string | undefined;
  readonly origin?: ToolCall["origin"] | undefined;
  /** Who made it, where that is an agent within the run. */
  readonly agent?: string | undefined;
  /** Milliseconds from its beginning until its result was told; absent where it never began, or has no result. */
  readonly ms?: number | undefined;
  /** Absent where it has no result. */
  readonly isError?: boolean | undefined;
}

type Result = Pick<Extract<RunEvent, { type: "tool-result" }>, "name" | "isError">;

export class RunCallLog {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #calls = new Map<string, RunCall & { readonly since?: number | undefined }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** In the order in which they were first heard of. */
  get all(): readonly RunCall[] {
    return [...this.#calls.values()].map(({ since: _, ...call }) => call);
  }

  /** Those that run, by their names. */
  get going(): readonly string[] {
    return [...this.#calls.values()].flatMap(({ since, ms, name }) =>
      since === undefined || ms !== undefined ? [] : name,
    );
  }

  /** It waits for a person. */
  asked({ id, name, arguments: args, origin }: ToolCall): void {
    this.#calls.set(id, { name, arguments: args, origin });
  }

  began({ id, name, arguments: args, origin }: ToolCall, agent?: string): void {
    this.#calls.set(id, { name, arguments: args, origin, agent, since: this.#clock.monotonic() });
  }

  /** What was called a task ends twice: when it has begun, and when its work is done. */
  ended(id: string, { name, isError }: Result, agent?: string): RunCall {
    const begun = this.#calls.get(id) ?? { name, agent };
    const since = "since" in begun ? begun.since : undefined;
    const call = { ...begun, isError, ...(since !== undefined && { ms: this.#clock.monotonic() - since }) };
    this.#calls.set(id, call);
    return call;
  }
}
