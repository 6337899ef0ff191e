// Defines the audit log: its events, the hash chain of entries, and the ports of its storage.
import type { FailureCode } from "../failures.ts";
import type { Decision } from "../runs/interrupts.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { ToolCallOutcome } from "../tools/toolStatistics.ts";

/** A text in the audit log, as the operator's policy allows. Secrets are removed first; all members describe the redacted text. */
export interface AuditedText {
  /** Length in UTF-16 units. */
  readonly chars: number;
  /** SHA-256, hex, of the UTF-8 text; absent if the policy leaves it out. */
  readonly sha256?: string | undefined;
  /** The text, truncated if long; absent if the policy stores no texts. */
  readonly text?: string | undefined;
}

interface OfRun {
  readonly owner: string;
  readonly run: string;
  /** For a nested run: the ids of the calls around it, outermost first, separated by `/`. */
  readonly within?: string | undefined;
}

interface OfCall extends OfRun {
  readonly callId: string;
  /** The gateway's name of the tool, not the agent's; in a decision, the name that the approver saw. */
  readonly tool: string;
}

/** One request, action or decision. */
export type AuditEvent =
  | (OfRun & {
      readonly type: "run-asked";
      /** Name of the caller. */
      readonly by: string;
      readonly agent: string;
      readonly session?: string | undefined;
    })
  /** Written before the call has any effect: if it cannot be written, the call does not run. */
  | (OfCall & {
      readonly type: "tool-began";
      readonly arguments: AuditedText;
      /** True if the call must not be repeated without an approval. Absent in older entries. */
      readonly once?: true | undefined;
      /** True if the call runs after an approval, or if its rules require one: a `decided` entry of the call comes before. */
      readonly approval?: true | undefined;
    })
  /** `waiting`: the call, or a run nested in it, asked the user. The answer is its result, or the call begins again with it. */
  | (OfCall & {
      readonly type: "tool-ended";
      readonly outcome: ToolCallOutcome | "waiting";
      readonly ms: number;
      /** The text that the model reads; absent if there is none yet. */
      readonly result?: AuditedText | undefined;
    })
  /** The process in which the call began has ended; its effect is unknown. */
  | (OfCall & { readonly type: "tool-lost" })
  /** Written before the decision is applied. */
  | (OfCall & {
      readonly type: "decided";
      /** Name of the caller who decided. */
      readonly by: string;
      readonly interrupt: string;
      readonly decision: Decision["type"];
      /** Hash of the approved plan; absent for a question. */
      readonly plan?: string | undefined;
      /** Arguments of the plan. */
      readonly arguments?: AuditedText | undefined;
      /** Text of the approver: an answer, edited arguments, a reason. */
      readonly words?: AuditedText | undefined;
    })
  /** A decision that was not applied, with the reason: unknown interrupt, already decided, or another plan. */
  | {
      readonly type: "decision-refused";
      readonly owner: string;
      readonly by: string;
      readonly interrupt: string;
      readonly decision: Decision["type"];
      readonly code: FailureCode;
    }
  /** A stored record of the run is damaged, so the run does not use it. */
  | (OfRun & {
      readonly type: "damaged";
      /** Name of the record, for the operator. */
      readonly record: string;
    })
  /** An operator renewed all seals of the store. `owner` is blank. `decisions`: number of discarded decisions. */
  | { readonly type: "resealed"; readonly owner: string; readonly runs: number; readonly decisions: number }
  /** The owner asked to cancel the run. */
  | (OfRun & { readonly type: "cancel-asked" })
  | (OfRun & { readonly type: "run-ended"; readonly outcome: RunOutcome })
  /** The events of these entries were erased with their owner's data; the entries stay. */
  | { readonly type: "erased"; readonly owner: string; readonly entries: number; readonly seqs: readonly SeqRange[] }
  /** All entries up to this one were deleted: they were older than `before` (epoch milliseconds). `hash` is that of the last one. */
  | { readonly type: "cut"; readonly through: number; readonly hash: string; readonly before: number };

/** Entry numbers, from the first to the last. */
export type SeqRange = readonly [number, number];

/** An event in the chain. Its hash covers the previous entry, so that changes, omissions and moves are detected. */
export interface AuditEntry {
  /** From 1, without gaps; old entries may be deleted from the beginning. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Hash of the previous entry; for the first entry a random number, unique to the chain. */
  readonly previous: string;
  /** SHA-256, hex, of salt and event. */
  readonly digest: string;
  /** SHA-256, hex, of all members above. */
  readonly hash: string;
  /** Owner of the event; blank if it is the gateway, or if the event was erased. */
  readonly owner: string;
  /** Hex. Without it, erased events cannot be found by guessing. It is erased with the event. */
  readonly salt?: string | undefined;
  /** JSON text of the event as it was written: the hash covers these exact characters. */
  readonly event?: string | undefined;
}

/** The last entry, for publication: it proves later that the chain still contains it. */
export type AuditHead = Pick<AuditEntry, "seq" | "hash" | "at">;

/** Stores entries in order, as one chain for all processes that share the store. Methods reject like those of a `Store`. */
export interface AuditStore {
  /** Appends all events or none. Synced to disk before it resolves, unless `through` is false: a power failure may then lose them. */
  append(events: readonly AuditEvent[], through?: boolean): Promise<void>;
  /** Resolves with undefined if there is no entry. */
  head(): Promise<AuditHead | undefined>;
  /** At most `most` entries after number `after`, in order. */
  entries(after: number, most: number): Promise<readonly AuditEntry[]>;
  /** Runs `work` to copy entries to a mirror while no process appends or copies. Stores the number that it resolves with. */
  copy(to: string, work: (copy: AuditMirror) => Promise<number>): Promise<void>;
}

/** Access to the entries that must be copied. */
export interface AuditMirror {
  /** Number of the last copied entry; undefined if there is none. */
  readonly copiedSeq: number | undefined;
  /** Number of the last entry; 0 if there is none. */
  readonly head: number;
  /** The next entries, one slice of them. */
  readNext(seq: number): Promise<readonly AuditEntry[]>;
}

/** Port for writing audit events. */
export interface AuditLog {
  /**
   * Writes all events or none, in order. When it resolves they are on disk, so that an effect may follow.
   * @throws PostelError `store_unavailable`, `store_full`, `store_damaged`: no effect may follow. Nothing was written,
   * except that the store may contain the events if only the mirror file failed.
   */
  record(events: readonly AuditEvent[]): Promise<void>;
  /** Like `record`, for events without a following effect. They survive the process; they survive a power failure only after a later `record`, or after a while. */
  recordWithoutSync(events: readonly AuditEvent[]): Promise<void>;
}
