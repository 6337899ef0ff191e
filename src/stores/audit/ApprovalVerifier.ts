// Checks that each call that needed an approval began after one.
import type { AuditEvent } from "../../core/audit/audit.ts";

type Began = Extract<AuditEvent, { type: "tool-began" }>;

/** A call that began without a decision. */
export interface UndecidedCall {
  readonly seq: number;
  /** Reason, for a human reader. */
  readonly why: string;
}

/** Decisions after which a call runs. A form that the user cancels (`cancel`) lets its call continue without values. */
const LETS_RUN: ReadonlySet<string> = new Set(["approve", "edit", "answer", "cancel"]);

export class ApprovalVerifier {
  readonly #decided = new Set<string>();
  readonly undecidedCalls: UndecidedCall[] = [];

  /** The next event, in the order of their entries. */
  checkEvent(event: AuditEvent, seq: number): void {
    if (event.type === "decided" && LETS_RUN.has(event.decision)) this.#decided.add(buildKey(event));
    if (event.type !== "tool-began" || !event.approval || this.#decided.has(buildKey(event))) return;
    const reason = `${event.tool} (call ${event.callId} of run ${event.run}) began under approval, and no entry before says that anybody decided so`;
    this.undecidedCalls.push({ seq, why: reason });
  }
}

function buildKey({ owner, run, within = "", callId }: Pick<Began, "owner" | "run" | "within" | "callId">): string {
  return JSON.stringify([owner, run, within, callId]);
}
