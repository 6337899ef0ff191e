// The store of a gateway: persistent data of owners.
import type { AuditStore } from "../audit/audit.ts";
import type { ObservedCapabilityStore } from "../ports.ts";
import type { ToolStatisticsStore } from "../tools/toolStatistics.ts";
import type { DefinitionStore } from "./DefinitionStore.ts";
import type { InterruptStore } from "./InterruptStore.ts";
import type { MemoryStore } from "./MemoryStore.ts";
import type { OwnerStore } from "./OwnerStore.ts";
import type { RunStore } from "./RunStore.ts";
import type { SessionStore } from "./SessionStore.ts";
import type { VectorStore } from "./VectorCollections.ts";
import type { WebhookStore } from "./WebhookStore.ts";

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
