// What outlives a request, as ports: sessions, runs, interrupts, memories and evidence of owners. Knows no database and no route.

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
 * One store of a gateway; several processes may share it. Every method answers within a bounded time, waits for no lock inside of the
 * process's own time, and rejects with a PostelError (`store_unavailable`, `store_full`, `store_damaged`) where what it was asked could
 * not be done: what resolved is written. `owner` is the name of a caller; no method tells one owner anything of another's.
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
  /** Of the gateway, and of no owner. */
  readonly toolStatistics: ToolStatisticsStore;
  /** Writes and deletes a few kilobytes. Rejects as every write does. */
  tryToWrite(): Promise<void>;
  /** Nothing may be asked after it. */
  close(): Promise<void>;
}

/** `normal` answers without tools, `agent` with all that the agent has. */
export const SESSION_MODES = ["normal", "agent"] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export interface SessionRecord {
  readonly owner: string;
  /** 1–128 letters, digits and `_-.:`, chosen by the caller or the gateway. */
  readonly id: string;
  /** The agent that it was begun with; absent: the default one. */
  readonly agent?: string | undefined;
  readonly mode: SessionMode;
  /** The run that waits for a person; the session goes on with it alone. */
  readonly waitingRun?: string | undefined;
  /** True where a model has read what somebody outside of the gateway wrote, and answered in it: whatever was said since may stem from that. */
  readonly untrusted?: true | undefined;
  /** That it has had; of a session that is full the oldest are gone. */
  readonly messages: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionStore {
  /** Begun where it is not there; else as it is, with what is given changed. */
  open(key: OwnerKey, given: Partial<Pick<SessionRecord, "agent" | "mode">>): Promise<SessionRecord>;
  get(key: OwnerKey): Promise<SessionRecord | undefined>;
  /** Youngest first. `before`: only what was changed before (epoch milliseconds). */
  list(
    owner: string,
    page: { readonly most: number; readonly before?: number | undefined },
  ): Promise<readonly SessionRecord[]>;
  /** With its messages. False where it was not there. */
  delete(key: OwnerKey): Promise<boolean>;
  /** In their order, the youngest `most`, or all that are kept. */
  messages(key: OwnerKey, most?: number): Promise<readonly Message[]>;
  /** In their order, the oldest `most` that are kept. */
  oldest(key: OwnerKey, most: number): Promise<readonly Message[]>;
  /**
   * Of a session that is full the oldest turns go. From now on the session waits for `waitingRun`, or for none where it is absent, and is
   * `untrusted` where these messages are; it stays so when they are gone. @throws PostelError `session_not_found`.
   */
  append(key: OwnerKey, messages: readonly Message[], waitingRun?: string, untrusted?: true): Promise<void>;
  /**
   * The messages beyond the first `last` that it has had are gone, and it waits for no run; where it was `untrusted` by them alone, it is so
   * no more. @throws PostelError `session_not_found`.
   */
  cut(key: OwnerKey, last: number): Promise<void>;
  /** Takes the session for one turn of its caller: true, or the milliseconds until the lease of whoever holds it ends. */
  hold(key: OwnerKey, holder: string, ms: number): Promise<true | number>;
  release(key: OwnerKey, holder: string): Promise<void>;
}

/** What belongs to an owner. */
export interface OwnerKey {
  readonly owner: string;
  readonly id: string;
}

/** `stuck`: it cannot go on by itself and nothing waits for a person; `record.failure` says why, and its owner may let it go on. */
export const RUN_STATUSES = ["running", "waiting", "ended", "stuck"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** What is said about a run, beside its state and its events. */
export interface RunRecord {
  readonly owner: string;
  readonly id: string;
  readonly agent: string;
  readonly sessionId?: string | undefined;
  readonly status: RunStatus;
  /** True where nobody waits for the answer on a connection: after a crash the gateway goes on with it by itself. */
  readonly background: boolean;
  readonly outcome?: RunOutcome | undefined;
  readonly failure?: Failure | undefined;
  readonly feedback?: Feedback | undefined;
  /** Events that are stored: the number of the last. */
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

/** An event of a run with its place among them, from 1. */
export interface NumberedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

/** What of a run changes together, in one transaction. */
export interface RunChange {
  readonly state?: RunState | undefined;
  readonly record?: Partial<Pick<RunRecord, "status" | "outcome" | "failure" | "endedAt">> | undefined;
  /** Interrupts that open. */
  readonly opens?: readonly Interrupt[] | undefined;
  /** True where the run's interrupts that are still open are cancelled. */
  readonly cancelsInterrupts?: boolean | undefined;
  /** As `RunStore.appendEvents` has them. */
  readonly events?: EventBatch | undefined;
  /** What others are told of it, once it is written. */
  readonly notices?: readonly WebhookDelivery[] | undefined;
}

/** Events in their order. */
export interface EventBatch {
  /** The number of the first. */
  readonly from: number;
  readonly events: readonly RunEvent[];
}

/** What a webhook is told; kept until it has heard it, or is given up. */
export interface WebhookDelivery {
  /** No two share it: whoever hears one twice knows it by that. */
  readonly id: string;
  readonly url: string;
  /** JSON text, sent as it is. */
  readonly body: string;
}

export interface DueWebhookDelivery extends WebhookDelivery {
  readonly owner: string;
  readonly run: string;
  /** How often it was taken, this time included. */
  readonly attempt: number;
}

export interface WebhookStore {
  /** Those whose time has come, of all owners, the longest due first; each comes again after `ms` unless it is `done` before. */
  take(most: number, ms: number): Promise<readonly DueWebhookDelivery[]>;
  /** Heard, or given up; nothing where it is gone. */
  done(id: string): Promise<void>;
  /** Comes again in so many milliseconds; nothing where it is gone. */
  postpone(id: string, ms: number): Promise<void>;
}

/** The state of a run as it was saved last, and the calls that were begun since. */
export interface SavedRun {
  readonly state: RunState;
  readonly calls: readonly JournaledCall[];
}

/** A call whose intent was written, with its outcome where that was too. */
export interface JournaledCall {
  readonly callId: string;
  readonly result?: ToolResult | undefined;
}

/**
 * Who writes to a run must hold it: a method that is given a `holder` rejects with `run_taken` where another holder's lease has not
 * ended or has taken it since.
 */
export interface RunStore {
  /** Held by `holder` from the first. @throws PostelError `run_taken` where the id is there already. */
  create(
    run: Pick<RunRecord, "owner" | "id" | "agent" | "sessionId" | "background">,
    lease: StoredLease,
  ): Promise<void>;
  get(key: OwnerKey): Promise<RunRecord | undefined>;
  /** Youngest first. */
  list(
    owner: string,
    page: {
      readonly most: number;
      readonly before?: number | undefined;
      readonly session?: string | undefined;
      readonly status?: RunStatus | undefined;
    },
  ): Promise<readonly RunRecord[]>;
  /** As `look`; a run whose state is damaged is `stuck` from then on. */
  load(key: OwnerKey): Promise<SavedRun | undefined>;
  /** Undefined where nothing was saved. Changes nothing. @throws PostelError `store_damaged`. */
  look(key: OwnerKey): Promise<SavedRun | undefined>;
  /** True where the run is now `holder`'s for so long. */
  claim(key: OwnerKey, lease: StoredLease): Promise<boolean>;
  /** True where the run is still `holder`'s, for so long from now; one that another has had meanwhile is not taken back. */
  renew(key: OwnerKey, lease: StoredLease): Promise<boolean>;
  release(key: OwnerKey, holder: string): Promise<void>;
  change(key: OwnerKey, change: RunChange, holder: string): Promise<void>;
  /**
   * Written through to the disk before it resolves: what follows is an effect. `calls` takes the place of all that was begun before,
   * except the tasks that go on: whoever writes a new state passes on the calls that began before it. A result that was written stays.
   */
  beginCalls(key: OwnerKey, state: RunState, calls: readonly JournaledCall[], holder: string): Promise<void>;
  settleCall(key: OwnerKey, result: ToolResult, holder: string): Promise<void>;
  appendEvents(key: OwnerKey, batch: EventBatch, holder: string): Promise<void>;
  /** In their order, at most so many; the oldest of a run go, so the first may have a higher number than the next after `after`. */
  events(key: OwnerKey, after: number, most: number): Promise<readonly NumberedEvent[]>;
  setFeedback(key: OwnerKey, feedback: Feedback): Promise<boolean>;
  /**
   * Runs that nobody holds and that are not where they should be, of all owners: those that are `running`, and background runs that
   * wait for nothing any more, since all that they asked was decided or is past its time.
   */
  abandoned(most: number): Promise<readonly OwnerKey[]>;
  /** Any holder may be asked so to end the run; `cancelAsked` of the next renewal tells it. */
  askCancel(key: OwnerKey): Promise<boolean>;
  cancelAsked(key: OwnerKey): Promise<boolean>;
}

export interface StoredLease {
  readonly holder: string;
  /** Milliseconds from now. */
  readonly ms: number;
}

/** What became of a decision: it is `taken`, or why not. */
export type DecisionOutcome = "taken" | "unknown" | "decided" | "cancelled" | "expired";

export interface InterruptStore {
  get(key: OwnerKey): Promise<InterruptRecord | undefined>;
  /** All of a run, in the order in which they opened. @throws PostelError `store_damaged`. */
  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Those of a run that are open and have not expired, in the order in which they opened; one that is damaged is left out. */
  openOfRun(run: OwnerKey): Promise<readonly InterruptRecord[]>;
  /** Open ones of an owner that have not expired, oldest first. */
  open(owner: string, most: number): Promise<readonly InterruptRecord[]>;
  /** The first decision counts; it is written through to the disk before it resolves. @throws PostelError `store_damaged`. */
  decide(key: OwnerKey, decision: Decision, by: string): Promise<DecisionOutcome>;
  /** Writes the interrupt in the place of the one of its id that is open; false where none is open any more. */
  renew(owner: string, interrupt: Interrupt): Promise<boolean>;
  /** Runs that wait, for nothing that is still open, and of which an interrupt has expired undecided; of all owners. */
  expired(most: number): Promise<readonly OwnerKey[]>;
}

/** A lasting fact. */
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
  /** Those that share words with the query, best first. The query is words, never a pattern. */
  search(owner: string, query: string, most: number): Promise<readonly MemoryRecord[]>;
  /** Those that have no vector of this kind yet, youngest first. */
  withoutVector(owner: string, kind: VectorKind, most: number): Promise<readonly MemoryRecord[]>;
  /** In the place of those that they had; nothing for a memory that is gone, or says something else by now. */
  setVectors(memories: readonly MemoryRecord[], kind: VectorKind, vectors: readonly Float32Array[]): Promise<void>;
  /** Nearest first, of those that have a vector of the model and the length of this one. @throws PostelError `invalid_configuration` where the store was opened without vectors. */
  nearest(
    owner: string,
    to: { readonly model: string; readonly vector: Float32Array },
    most: number,
  ): Promise<readonly MemoryRecord[]>;
  /** Youngest first. */
  list(
    owner: string,
    page: { readonly most: number; readonly before?: number | undefined },
  ): Promise<readonly MemoryRecord[]>;
  delete(key: OwnerKey): Promise<boolean>;
}

/**
 * A collection is named by its owner and its id; there is one as long as it has entries, all of them made into vectors by one model.
 * Methods reject as those of a `Store` do.
 */
export interface VectorStore {
  /**
   * All or none; an entry of the same id gives way. `most`: parts of the collection.
   * @throws PostelError `store_full` beyond that; `invalid_configuration` where the collection's vectors are of another kind.
   */
  put(
    collection: OwnerKey,
    given: { readonly entries: readonly VectorEntry[]; readonly model: string; readonly most: number },
  ): Promise<void>;
  /**
   * The nearest parts of the entries that pass all tests, nearest first: exact, every vector is looked at.
   * @throws PostelError `invalid_configuration` where the collection's vectors are of another kind, or the store was opened without vectors.
   */
  nearest(collection: OwnerKey, query: VectorQuery): Promise<readonly FoundPart[]>;
  /** Entries of these ids, or those that pass all tests: no test means all. Resolves with how many are gone. */
  delete(
    collection: OwnerKey,
    what: { readonly ids: readonly string[] } | { readonly filter: readonly MetadataTest[] },
  ): Promise<number>;
}

/** What servers outside of the gateway say of their tools, as it was agreed to. */
export interface DefinitionStore {
  /** What the owner has agreed to; where that is nothing, what holds for all owners. */
  agreed(owner: string, tool: Pick<ToolDefinition, "server" | "tool">): Promise<ToolDefinition | undefined>;
  /** The owner agrees to it, in the place of what it agreed to before; written through to the disk before it resolves. */
  agree(owner: string, definition: ToolDefinition): Promise<void>;
  /** What a server lists holds for all owners from now on; nothing where that was said of the server before. */
  agreeToFirst(server: string, definitions: readonly ToolDefinition[]): Promise<void>;
}

export interface OwnerStore {
  /** Everything that is kept of an owner, a row each: `{table, …}`. */
  export(owner: string): AsyncIterable<JsonObject>;
  /** Rows that are gone, by table; of the audit's entries what they say is gone, and they stand. */
  erase(owner: string): Promise<Readonly<Record<string, number>>>;
}

export function runKey({ owner, id }: OwnerKey): string {
  return JSON.stringify([owner, id]);
}
