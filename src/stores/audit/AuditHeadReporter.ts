// Logs the head of the audit chain every minute if it moved, and once at the end. A stored head proves if the chain was cut
// later.
import type { AuditStore } from "../../core/audit/audit.ts";
import { formatHead } from "../../core/audit/auditHead.ts";
import type { Observer } from "../../core/ports.ts";

const EVERY_MS = 60_000;

export class AuditHeadReporter {
  readonly #store: Pick<AuditStore, "head">;
  readonly #observer: Observer;
  #timer: NodeJS.Timeout | undefined;
  #lastReported: string | undefined;

  constructor(store: Pick<AuditStore, "head">, observer: Observer) {
    this.#store = store;
    this.#observer = observer;
  }

  /** Starts the timer, which does not keep the process alive. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#reportHead(), EVERY_MS).unref();
  }

  /** Logs the last head if the reporter was started. */
  async flush(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    await this.#reportHead();
  }

  async #reportHead(): Promise<void> {
    // If the store does not answer, the next write reports that.
    const head = await this.#store.head().catch(() => undefined);
    const text = head && formatHead(head);
    if (text === undefined || text === this.#lastReported) return;
    this.#lastReported = text;
    this.#observer.observe({ type: "audit-head", head: text });
  }
}
