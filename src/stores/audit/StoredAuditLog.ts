// Writes audit events to the store. Concurrent callers share one transaction, and the number of waiting callers is limited.
import type { AuditEvent, AuditLog, AuditStore } from "../../core/audit/audit.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { WriteHealth } from "../../core/WriteHealth.ts";
import type { AuditFile } from "./AuditFile.ts";

/** Maximum number of waiting callers: a further one is refused, and its action does not happen. */
const MOST_WAITING = 10_000;
/** Maximum events of one transaction, unless one caller brings more: it blocks other work for a few milliseconds. */
const TOGETHER = 500;
const RETRY_MS = 1_000;

interface Waiting {
  readonly events: readonly AuditEvent[];
  readonly isSynced: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class StoredAuditLog implements AuditLog {
  readonly #store: Pick<AuditStore, "append">;
  readonly #file: Pick<AuditFile, "copyNewEntries"> | undefined;
  readonly #health: Pick<WriteHealth, "recordResult"> | undefined;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  /** @param file also receives the entries before a caller continues @param health receives the result of each write */
  constructor(
    store: Pick<AuditStore, "append">,
    file?: Pick<AuditFile, "copyNewEntries">,
    health?: Pick<WriteHealth, "recordResult">,
  ) {
    this.#store = store;
    this.#file = file;
    this.#health = health;
  }

  record(events: readonly AuditEvent[]): Promise<void> {
    return this.#add(events, true);
  }

  recordWithoutSync(events: readonly AuditEvent[]): Promise<void> {
    return this.#add(events, false);
  }

  /** Brings the audit file up to date with the store, if there is one. */
  async tryToWrite(): Promise<void> {
    await this.#append([], false);
  }

  /** Resolves when all pending events are written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #add(events: readonly AuditEvent[], isSynced: boolean): Promise<void> {
    if (events.length === 0) return;
    if (this.#waiting.length >= MOST_WAITING) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ events, isSynced, resolve, reject });
    this.#writing ??= this.#write();
    await promise;
  }

  async #write(): Promise<void> {
    // Callers of the same event-loop tick are written together with the first one.
    await Promise.resolve();
    for (let callers = this.#takeWaiting(); callers.length > 0; callers = this.#takeWaiting()) {
      try {
        const events = callers.flatMap((caller) => caller.events);
        const isSynced = callers.some((caller) => caller.isSynced);
        await this.#append(events, isSynced);
        for (const { resolve } of callers) resolve();
      } catch (error) {
        for (const { reject } of callers) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #append(events: readonly AuditEvent[], isSynced: boolean): Promise<void> {
    try {
      if (events.length > 0) await this.#store.append(events, isSynced);
      await this.#file?.copyNewEntries(isSynced);
      this.#health?.recordResult("audit");
    } catch (error) {
      this.#health?.recordResult("audit", error instanceof PostelError ? error.failure.code : "internal_error");
      throw error;
    }
  }

  /** The first callers, as many as fit into one transaction. */
  #takeWaiting(): readonly Waiting[] {
    let events = 0;
    const end = this.#waiting.findIndex((caller) => {
      events += caller.events.length;
      return events > TOGETHER;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end));
  }
}

function tooMany(): PostelError {
  const message = `The audit log is written more slowly than the gateway works: ${MOST_WAITING} entries wait, so the action was not carried out. Check the disk of the store, then try again.`;
  return new PostelError(createFailure("store_unavailable", message, { retryAfterMs: RETRY_MS }));
}
