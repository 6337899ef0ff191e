// Stores runs: records, states, begun calls and events.
import type { RunEvent } from "../events/events.ts";
import type { Failure } from "../failures.ts";
import type { Interrupt } from "../runs/interrupts.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { RunState, ToolResult } from "../runs/RunState.ts";
import type { OwnerKey } from "./OwnerKey.ts";
import type { WebhookDelivery } from "./WebhookStore.ts";

/** `stuck`: the run cannot continue by itself and waits for no approver; `record.failure` states the reason, and its owner may resume it. */
export const RUN_STATUSES = ["running", "waiting", "ended", "stuck"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Metadata of a run, besides its state and its events. */
export interface RunRecord {
  readonly owner: string;
  readonly id: string;
  readonly agent: string;
  readonly sessionId?: string | undefined;
  readonly status: RunStatus;
  /** True if no client waits on a connection: after a crash the gateway resumes the run by itself. */
  readonly background: boolean;
  readonly outcome?: RunOutcome | undefined;
  readonly failure?: Failure | undefined;
  readonly feedback?: Feedback | undefined;
  /** Number of the last stored event. */
  readonly events: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number | undefined;
}

export interface Feedback {
  readonly rating: -1 | 1;
  readonly comment?: string | undefined;
}

/** An event of a run with its number, from 1. */
export interface NumberedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** Changes of a run that are made in one transaction. */
export interface RunChange {
  readonly state?: RunState | undefined;
  readonly record?: Partial<Pick<RunRecord, "status" | "outcome" | "failure" | "endedAt">> | undefined;
  /** Interrupts to open. */
  readonly opens?: readonly Interrupt[] | undefined;
  /** True if the open interrupts of the run are cancelled. */
  readonly cancelsInterrupts?: boolean | undefined;
  /** Events to append, as in `RunStore.appendEvents`. */
  readonly events?: EventBatch | undefined;
  /** Webhook deliveries to send after the change is written. */
  readonly notices?: readonly WebhookDelivery[] | undefined;
}

/** Consecutive events. */
export interface EventBatch {
  /** Number of the first event. */
  readonly from: number;
  readonly events: readonly RunEvent[];
}

/** The last stored state of a run, and the calls that began since. */
export interface SavedRun {
  readonly state: RunState;
  readonly calls: readonly JournaledCall[];
}

/** A call whose beginning was recorded, with its result if that was recorded too. */
export interface JournaledCall {
  readonly callId: string;
  readonly result?: ToolResult | undefined;
}

/** Stores runs. A writer must hold the run's lease: a method with a `holder` rejects with `run_taken` if another holder has an active lease or has had one since. */
export interface RunStore {
  /** Creates the run with a lease of `holder`. @throws PostelError `run_taken` if the id exists. */
  create(
    run: Pick<RunRecord, "owner" | "id" | "agent" | "sessionId" | "background">,
    lease: StoredLease,
  ): Promise<void>;
  get(key: OwnerKey): Promise<RunRecord | undefined>;
  /** Latest first. */
  list(
    owner: string,
    page: {
      readonly limit: number;
      readonly before?: number | undefined;
      readonly session?: string | undefined;
      readonly status?: RunStatus | undefined;
    },
  ): Promise<readonly RunRecord[]>;
  /** Like `look`; marks a run whose state is damaged as `stuck`. */
  load(key: OwnerKey): Promise<SavedRun | undefined>;
  /** Resolves with undefined if no state was stored. Changes nothing. @throws PostelError `store_damaged`. */
  look(key: OwnerKey): Promise<SavedRun | undefined>;
  /** Returns true if the lease is acquired. */
  claim(key: OwnerKey, lease: StoredLease): Promise<boolean>;
  /** Returns true if the lease is renewed; false if another holder has had the run since. */
  renew(key: OwnerKey, lease: StoredLease): Promise<boolean>;
  release(key: OwnerKey, holder: string): Promise<void>;
  change(key: OwnerKey, change: RunChange, holder: string): Promise<void>;
  /**
   * Resolves after the data is synced to disk, because a side effect follows. `calls` replaces the calls that began
   * before, except for running tasks, so the writer passes on the calls that still matter. Recorded results stay.
   */
  beginCalls(key: OwnerKey, state: RunState, calls: readonly JournaledCall[], holder: string): Promise<void>;
  settleCall(key: OwnerKey, result: ToolResult, holder: string): Promise<void>;
  appendEvents(key: OwnerKey, batch: EventBatch, holder: string): Promise<void>;
  /** At most `limit` events in order. The oldest events of a run are deleted, so the first number may be higher than `after` + 1. */
  events(key: OwnerKey, after: number, limit: number): Promise<readonly NumberedEvent[]>;
  setFeedback(key: OwnerKey, feedback: Feedback): Promise<boolean>;
  /** Runs of all owners without a lease that should continue: `running` ones, and background runs whose interrupts are all decided or expired. */
  abandoned(limit: number): Promise<readonly OwnerKey[]>;
  /** Asks the holder of the run to end it. `cancelAsked` reports it at the next renewal. */
  askCancel(key: OwnerKey): Promise<boolean>;
  cancelAsked(key: OwnerKey): Promise<boolean>;
}

export interface StoredLease {
  readonly holder: string;
  /** Duration in milliseconds from now. */
  readonly ms: number;
}
