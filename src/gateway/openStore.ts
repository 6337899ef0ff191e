// Opens the store, the audit log and the memory search.

import type { Config } from "../core/config/configuration.ts";
import type { Clock, Observer, SearchMemories } from "../core/ports.ts";
import { FACTS_FOUND } from "../core/runs/memory.ts";
import type { Store } from "../core/stores/Store.ts";
import { WriteHealth } from "../core/WriteHealth.ts";
import { ObservedCapabilityCache } from "../models/capabilities/ObservedCapabilityCache.ts";
import { UpstreamEmbedder } from "../models/clients/UpstreamEmbedder.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import { AuditFile } from "../stores/audit/AuditFile.ts";
import { AuditHeadReporter } from "../stores/audit/AuditHeadReporter.ts";
import { StoredAuditLog } from "../stores/audit/StoredAuditLog.ts";
import { InMemoryCapabilityStore } from "../stores/InMemoryCapabilityStore.ts";
import { createLazyStore } from "../stores/lazyStore.ts";
import { createMemorySearch } from "../stores/searchMemories.ts";
import { ToolCounter } from "../telemetry/ToolCounter.ts";

/**
 * Opens the store. A file is opened at once, so that errors show at the start. Without a file, the database is loaded at
 * the first write, and observed capabilities need none. A replay stores nothing and reads no stored data.
 */
export async function openStore(
  { store: { file, ...limits }, audit, components, agents, workflows }: Config,
  clock: Clock,
  { base, lasts }: { readonly base: Observer; readonly lasts: boolean },
) {
  const vectors = components.some(({ type }) => type === "vector-store");
  const isAudited = audit.enabled ?? file !== undefined;
  const health = new WriteHealth(clock, agents.length > 0 || workflows.length > 0 || file !== undefined || isAudited);
  const open = async (lasting?: string): Promise<Store> => {
    const { SqliteStore } = await import("../stores/SqliteStore.ts");
    return SqliteStore.open({ ...limits, auditKeepMs: audit.keepMs, file: lasting, clock, vectors, health });
  };
  if (file !== undefined && lasts) {
    const store = await open(file);
    const counter = new ToolCounter(store.toolStatistics);
    return { store, health, evidence: new ObservedCapabilityCache(store.evidence, clock), counter };
  }
  const store = createLazyStore(() => {
    base.observe({ type: "store-in-memory" });
    return open();
  });
  return {
    store,
    health,
    evidence: new ObservedCapabilityCache(new InMemoryCapabilityStore(clock), clock),
    counter: undefined,
  };
}

interface TrailServices {
  readonly store: Pick<Store, "audit">;
  readonly health: WriteHealth;
  readonly base: Observer;
  readonly lasts: boolean;
}

/** Opens the audit log and the reporter of its head; a replay writes none. */
export async function openTrail(
  { audit, store: kept }: Config,
  { store, health, base, lasts }: TrailServices,
): Promise<{ readonly trail?: StoredAuditLog; readonly heads?: AuditHeadReporter }> {
  const isWanted = audit.enabled ?? kept.file !== undefined;
  if (!isWanted || !lasts) return {};
  const file = await openAuditFile(audit.file, store);
  return { trail: new StoredAuditLog(store.audit, file, health), heads: new AuditHeadReporter(store.audit, base) };
}

/** Copies missing entries at once, so that errors show at the start. */
async function openAuditFile(path: string | undefined, store: Pick<Store, "audit">): Promise<AuditFile | undefined> {
  if (path === undefined) return undefined;
  const file = new AuditFile(path, store.audit);
  await file.copyNewEntries(true);
  return file;
}

interface FactServices {
  readonly store: Pick<Store, "memories">;
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly observer: Observer;
}

/** Searches memories by words, or by meaning if a vector store is configured, except in a replay. */
export async function openMemorySearch(
  { memory: { vectorStore }, components }: Config,
  { store: { memories }, directory, observer }: FactServices,
  { replay }: { readonly replay?: object | undefined },
): Promise<SearchMemories> {
  const byWords: SearchMemories = async ({ owner, query }) =>
    (await memories.search(owner, query, FACTS_FOUND)).map(({ text }) => text);
  const named = components.find(({ id }) => id === vectorStore);
  if (named?.type !== "vector-store" || replay) return byWords;
  return createMemorySearch({
    memories,
    embedder: new UpstreamEmbedder(directory),
    model: named.model,
    observer,
    byWords,
  });
}
