// A trail that a test reads, and that can fail.
import { AuditRecorder, type AuditRecorderOptions } from "../../../src/agents/audit/AuditRecorder.ts";
import type { AuditEvent, AuditLog } from "../../../src/core/audit/audit.ts";
import type { Failure } from "../../../src/core/failures.ts";
import { createFailure, PostelError } from "../../../src/core/failures.ts";
import { sentenceOf } from "./sentences.ts";

export class Notebook implements AuditLog {
  /** What was written at once. */
  readonly writes: (readonly AuditEvent[])[] = [];
  /** What the gateway was told of the record. */
  readonly failures: Failure[] = [];
  /** True while nothing can be written. */
  isFull = false;
  readonly auditRecorder: AuditRecorder;

  constructor(more: Partial<Pick<AuditRecorderOptions, "textPolicy" | "redact">> = {}) {
    this.auditRecorder = new AuditRecorder({
      textPolicy: { arguments: "whole", results: "hashed" },
      redact: (text) => text,
      ...more,
      trail: this,
      observer: { observe: (seen) => void (seen.type === "failure" && this.failures.push(seen.failure)) },
    });
  }

  /** How often something was written through to the disk. */
  throughs = 0;

  async record(events: readonly AuditEvent[]): Promise<void> {
    await this.recordWithoutSync(events);
    this.throughs += 1;
  }

  async recordWithoutSync(events: readonly AuditEvent[]): Promise<void> {
    if (this.isFull) throw new PostelError(createFailure("store_full", "There is no room left on the disk."));
    this.writes.push(events);
  }

  get events(): readonly AuditEvent[] {
    return this.writes.flat();
  }

  get sentences(): readonly string[] {
    return this.events.map(sentenceOf);
  }
}
