// Ports for persistent data of owners: sessions, runs, interrupts, memories and observed capabilities.

import type { AuditStore } from "./audit/audit.ts";
import type { FoundPart, MetadataTest, VectorEntry, VectorKind, VectorQuery } from "./config/vectorStore.ts";
import type { RunEvent } from "./events/events.ts";
import type { Failure } from "./failures.ts";
import type { JsonObject, Message } from "./messages.ts";
import type { ObservedCapabilityStore } from "./ports.ts";
import type { Decision, Interrupt, InterruptRecord } from "./runs/interrupts.ts";
import type { RunOutcome } from "./runs/outcomes.ts";
import type { RunState, ToolResult } from "./runs/RunState.ts";
import type { ToolDefinition } from "./tools/toolDefinition.ts";
import type { ToolStatisticsStore } from "./tools/toolStatistics.ts";

/**
 * The store of a gateway; several processes may share it. Every method answers within a bounded time and rejects with a
 * PostelError (`store_unavailable`, `store_full`, `store_damaged`) if the operation fails. If it resolves, the data is
 * written. `owner` is the name of a caller; no method returns data of another owner.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly runs: RunStore;
  readonly interrupts: InterruptStore;
  readonly memories: MemoryStore;
  readonly vectors: VectorStore;
  readonly definitions: DefinitionStore;
  readonly evidence: ObservedCapabilityStore;
  readonly notices: WebhookStore;
  readonly owners: OwnerStore;
  readonly audit: AuditStore;
  /** Belongs to the gateway, not to an owner. */
  readonly toolStatistics: ToolStatisticsStore;
  /** Writes and deletes a few kilobytes. Rejects like every write. */
  tryToWrite(): Promise<void>;
  /** No method may be called after it. */
  close(): Promise<void>;
}

/** `normal` answers without tools, `agent` with all tools of the agent. */
export const SESSION_MODES = ["normal", "agent"] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export interface SessionRecord {
  readonly owner: string;
  /** 1–128 letters, digits and `_-.:`, chosen by the client or the gateway. */
  readonly id: string;
  /** The agent of the session; absent: the default one. */
  readonly agent?: string | undefined;
  readonly mode: SessionMode;
  /** The run that waits for an approver; the session continues only with it. */
  readonly waitingRun?: string | undefined;
  /** True if a model has read untrusted content in the session: later messages may be influenced by it. */
  readonly untrusted?: true | undefined;
  /** Number of messages so far; the oldest messages of a full session are deleted. */
  readonly messages: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionStore {
  /** Creates the session if it does not exist; otherwise changes the given fields. */
  open(key: OwnerKey, given: Partial<Pick<SessionRecord, "agent" | "mode">>): Promise<SessionRecord>;
  get(key: OwnerKey): Promise<SessionRecord | undefined>;
  /** Latest first. `before`: only sessions changed before this time (epoch milliseconds). */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly SessionRecord[]>;
  /** Deletes the session with its messages. Returns false if it did not exist. */
  delete(key: OwnerKey): Promise<boolean>;
  /** The latest `most` messages in order, or all that are stored. */
  messages(key: OwnerKey, limit?: number): Promise<readonly Message[]>;
  /** The oldest `most` stored messages, in order. */
  oldest(key: OwnerKey, limit: number): Promise<readonly Message[]>;
  /**
   * Appends messages; the oldest turns of a full session are deleted. The session then waits for `waitingRun`, or for no
   * run if it is absent. It becomes `untrusted` if these messages are, and stays so after they are deleted. @throws
   * PostelError `session_not_found`.
   */
  append(key: OwnerKey, messages: readonly Message[], waitingRun?: string, untrusted?: true): Promise<void>;
  /**
   * Deletes the messages after the first `last`; the session then waits for no run. It is no longer `untrusted` if only
   * the deleted messages were. @throws PostelError `session_not_found`.
   */
  cut(key: OwnerKey, last: number): Promise<void>;
  /** Acquires the session's lease for one turn: true, or the milliseconds until the current lease ends. */
  hold(key: OwnerKey, holder: string, ms: number): Promise<true | number>;
  release(key: OwnerKey, holder: string): Promise<void>;
}

/** Key of an owner's record. */
export interface OwnerKey {
  readonly owner: string;
  readonly id: string;
}

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

/** A webhook delivery; stored until it succeeds or is abandoned. */
export interface WebhookDelivery {
  /** Unique, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly url: string;
  /** JSON text, sent unchanged. */
  readonly body: string;
}

export interface DueWebhookDelivery extends WebhookDelivery {
  readonly owner: string;
  readonly run: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

export interface WebhookStore {
  /** Takes the due deliveries of all owners, the longest due first. Each is due again after `ms` unless it is `done` before. */
  take(limit: number, ms: number): Promise<readonly DueWebhookDelivery[]>;
  /** Deletes a delivery that succeeded or was abandoned; does nothing if it is gone. */
  done(id: string): Promise<void>;
  /** Makes the delivery due again after `ms` milliseconds; does nothing if it is gone. */
  postpone(id: string, ms: number): Promise<void>;
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
  /** Undefined if no state was stored. Changes nothing. @throws PostelError `store_damaged`. */
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
  /** At most `most` events in order. The oldest events of a run are deleted, so the first number may be higher than `after` + 1. */
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

/** Result of a decision: `taken`, or the reason why not. */
export type DecisionOutcome = "taken" | "unknown" | "decided" | "cancelled" | "expired";

export interface InterruptStore {
  get(key: OwnerKey): Promise<InterruptRecord | undefined>;
  /** All interrupts of a run, in the order in which they opened. @throws PostelError `store_damaged`. */
  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Open and unexpired interrupts of a run, in the order in which they opened; damaged ones are left out. */
  openOfRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Open and unexpired interrupts of an owner, oldest first. */
  open(owner: string, limit: number): Promise<readonly InterruptRecord[]>;
  /** Stores a decision; only the first one counts. Resolves after it is synced to disk. @throws PostelError `store_damaged`. */
  decide(key: OwnerKey, decision: Decision, by: string): Promise<DecisionOutcome>;
  /** Replaces the open interrupt with the same id; returns false if it is no longer open. */
  renew(owner: string, interrupt: Interrupt): Promise<boolean>;
  /** Waiting runs of all owners without open interrupts, of which at least one expired undecided. */
  expired(limit: number): Promise<readonly OwnerKey[]>;
}

/** A memory: a fact that outlives its conversation. */
export interface MemoryRecord {
  readonly owner: string;
  readonly id: string;
  readonly text: string;
  /** The agent that saved it; absent: its owner did. */
  readonly agent?: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface MemoryStore {
  put(memory: Omit<MemoryRecord, "createdAt">): Promise<void>;
  /** Memories that share words with the query, best first. The query is plain text and no pattern. */
  search(owner: string, query: string, limit: number): Promise<readonly MemoryRecord[]>;
  /** Memories without a vector of this kind, latest first. */
  withoutVector(owner: string, kind: VectorKind, limit: number): Promise<readonly MemoryRecord[]>;
  /** Replaces the vectors of memories; skips a memory that was deleted or changed. */
  setVectors(memories: readonly MemoryRecord[], kind: VectorKind, vectors: readonly Float32Array[]): Promise<void>;
  /** Nearest memories first, of those with a vector of the same model and length. @throws PostelError `invalid_configuration` if the store was opened without vectors. */
  nearest(
    owner: string,
    to: { readonly model: string; readonly vector: Float32Array },
    limit: number,
  ): Promise<readonly MemoryRecord[]>;
  /** Latest first. */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly MemoryRecord[]>;
  delete(key: OwnerKey): Promise<boolean>;
}

/** Stores vectors. A collection is identified by owner and id; it exists while it has entries, all made by one model. Methods reject like those of a `Store`. */
export interface VectorStore {
  /**
   * Writes all entries or none; replaces entries with the same id. `most`: maximum number of parts of the collection.
   * @throws PostelError `store_full` beyond that; `invalid_configuration` if the collection's vectors are of another kind.
   */
  put(
    collection: OwnerKey,
    given: { readonly entries: readonly VectorEntry[]; readonly model: string; readonly limit: number },
  ): Promise<void>;
  /**
   * The nearest parts of the entries that pass all tests, nearest first. The search is exact: it compares every vector.
   * @throws PostelError `invalid_configuration` if the collection's vectors are of another kind, or if the store was
   * opened without vectors.
   */
  nearest(collection: OwnerKey, query: VectorQuery): Promise<readonly FoundPart[]>;
  /** Deletes the entries with these ids, or those that pass all tests; no test means all. Returns the number of deleted entries. */
  delete(
    collection: OwnerKey,
    what: { readonly ids: readonly string[] } | { readonly filter: readonly MetadataTest[] },
  ): Promise<number>;
}

/** Stores the definitions of external tools that were agreed to. */
export interface DefinitionStore {
  /** The definition that the owner has agreed to; if there is none, the one that applies to all owners. */
  agreed(owner: string, tool: Pick<ToolDefinition, "server" | "tool">): Promise<ToolDefinition | undefined>;
  /** Replaces the definition that the owner has agreed to. Resolves after it is synced to disk. */
  agree(owner: string, definition: ToolDefinition): Promise<void>;
  /** Trust on first use: a server's first list applies to all owners; does nothing if the server already has one. */
  agreeToFirst(server: string, definitions: readonly ToolDefinition[]): Promise<void>;
}

export interface OwnerStore {
  /** Exports all stored data of an owner, one object per row: `{table, …}`. */
  export(owner: string): AsyncIterable<JsonObject>;
  /** Deletes an owner's data. Returns the number of deleted rows by table. Audit entries stay, but their content is deleted. */
  erase(owner: string): Promise<Readonly<Record<string, number>>>;
}

export function runKey({ owner, id }: OwnerKey): string {
  return JSON.stringify([owner, id]);
}
