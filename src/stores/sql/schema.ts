// Types of the store's tables: text ids, epoch milliseconds and JSON as text, which every SQL dialect supports.

export interface Schema {
  sessions: SessionRow;
  session_messages: SessionMessageRow;
  runs: RunRow;
  run_states: RunStateRow;
  run_calls: RunCallRow;
  run_events: RunEventRow;
  interrupts: InterruptRow;
  memories: MemoryRow;
  memory_words: MemoryWordRow;
  memory_vectors: MemoryVectorRow;
  collections: CollectionRow;
  collection_entries: CollectionEntryRow;
  collection_parts: CollectionPartRow;
  collection_fields: CollectionFieldRow;
  tool_definitions: ToolDefinitionRow;
  evidence: EvidenceRow;
  notices: NoticeRow;
  tool_statistics: ToolStatisticsRow;
  audit_entries: AuditRow;
  audit_copies: AuditCopyRow;
  seal_keys: SealKeyRow;
}

/** A lease: active if `holder` is set and `held_until` (epoch milliseconds) is in the future. */
interface Held {
  holder: string | null;
  held_until: number;
}

export interface SessionRow extends Held {
  owner: string;
  id: string;
  agent: string | null;
  mode: string;
  waiting_run: string | null;
  /** Number of the first message that may contain untrusted content. */
  untrusted_from: number | null;
  messages: number;
  created_at: number;
  updated_at: number;
}

interface SessionMessageRow {
  owner: string;
  session: string;
  /** Starts at 1. */
  seq: number;
  message: string;
}

export interface RunRow extends Held {
  owner: string;
  id: string;
  agent: string;
  session: string | null;
  status: string;
  background: number;
  outcome: string | null;
  /** Written by older versions only. */
  run_limit: string | null;
  failure: string | null;
  feedback: string | null;
  cancel_asked: number;
  /** Version and HMAC over everything that the run resumes from, see `RunSeals`; null in a store that was never sealed. */
  seal: string | null;
  /** The number of the last event. */
  events: number;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

interface RunStateRow {
  owner: string;
  run: string;
  state: string;
}

/** A call that began after the state of its run was saved. */
interface RunCallRow {
  owner: string;
  run: string;
  id: string;
  /** Among the calls of its run, from 1. */
  seq: number;
  result: string | null;
}

interface RunEventRow {
  owner: string;
  run: string;
  /** Starts at 1. */
  seq: number;
  event: string;
  at: number;
}

export interface InterruptRow {
  owner: string;
  id: string;
  run: string;
  /** Among the interrupts of its run, from 1. */
  seq: number;
  interrupt: string;
  status: string;
  decision: string | null;
  decided_by: string | null;
  decided_at: number | null;
  created_at: number;
  expires_at: number;
}

export interface MemoryRow {
  owner: string;
  id: string;
  text: string;
  agent: string | null;
  created_at: number;
}

/** A distinct word of a memory. */
interface MemoryWordRow {
  owner: string;
  word: string;
  memory: string;
}

/** Embedding of a memory by a model. Vector numbers have 32 bits each, little-endian. */
interface MemoryVectorRow {
  owner: string;
  memory: string;
  model: string;
  dimension: number;
  vector: Uint8Array;
}

/** Exists as long as it has entries. */
interface CollectionRow {
  owner: string;
  id: string;
  model: string;
  dimension: number;
  created_at: number;
}

export interface CollectionEntryRow {
  owner: string;
  collection: string;
  id: string;
  title: string | null;
  url: string | null;
  metadata: string;
  created_at: number;
}

interface CollectionPartRow {
  owner: string;
  collection: string;
  entry: string;
  /** Starts at 1. */
  part: number;
  /** Same encoding as the vectors of memories. */
  vector: Uint8Array;
  text: string;
}

/** A value of an entry's metadata, as search tests it. */
interface CollectionFieldRow {
  owner: string;
  collection: string;
  entry: string;
  name: string;
  /** Its JSON text, so that `1` and `"1"` differ. */
  value: string;
  number: number | null;
}

/** A tool definition that an owner has accepted; an empty owner: accepted for all. */
interface ToolDefinitionRow {
  owner: string;
  server: string;
  tool: string;
  definition: string;
}

interface EvidenceRow {
  key: string;
  refused: string;
  evidence: string;
  at: number;
}

interface NoticeRow {
  id: string;
  owner: string;
  run: string;
  url: string;
  body: string;
  attempt: number;
  /** Epoch milliseconds. */
  due_at: number;
}

/** Sums over a tool's calls with one outcome, and the time of the last addition. */
interface ToolStatisticsRow {
  tool: string;
  outcome: string;
  calls: number;
  ms: number;
  chars: number;
  at: number;
}

export interface AuditRow {
  /** Empty if the entry belongs to the gateway, or its event is erased. */
  owner: string;
  seq: number;
  at: number;
  previous: string;
  digest: string;
  hash: string;
  salt: string | null;
  event: string | null;
}

/** Number of the last entry that was copied to an audit file. */
interface AuditCopyRow {
  copy: string;
  seq: number;
}

/** The key that the store was sealed with last. */
interface SealKeyRow {
  /** Always `store`. */
  name: string;
  /** An HMAC of an empty text: identifies the key without revealing it. */
  fingerprint: string;
}
