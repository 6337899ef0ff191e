// Tells the audit's head once a minute while it moves, and a last time at the end: who keeps what is told can show a chain that was cut. Writes nothing.
import type { AuditStore } from "../../core/audit/audit.ts";
import { formatHead } from "../../core/audit/auditHead.ts";
import type { Observer } from "../../core/ports.ts";

const EVERY_MS = 60_000;

export class AuditHeadReporter {
  readonly #store: Pick<AuditStore, "head">;
  readonly #observer: Observer;
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;

  constructor(store: Pick<AuditStore, "head">, observer: Observer) {
    this.#store = store;
    this.#observer = observer;
  }

  /** From now on; it keeps no process alive. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#tell(), EVERY_MS).unref();
  }

  /** Tells the last one, where it was started. */
  async flush(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    await this.#tell();
  }

  async #tell(): Promise<void> {
    // A store that does not answer is told by whatever is to be written to it.
    const head = await this.#store.head().catch(() => undefined);
    const text = head && formatHead(head);
    if (text === undefined || text === this.#told) return;
    this.#told = text;
    this.#observer.observe({ type: "audit-head", head: text });
  }
}
