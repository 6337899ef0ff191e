// What is written down so that it can be shown later who did what: the events, the chain of entries that they make, and the ports of where it is kept. Knows no database and no run.
import type { FailureCode } from "../failures.ts";
import type { Decision } from "../runs/interrupts.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { ToolCallOutcome } from "../tools/toolStatistics.ts";

/** A text as the record has it, by the operator's policy. Of what is written secrets are taken out first, and all that stands here is of the text without them. */
export interface AuditedText {
  /** In UTF-16 units. */
  readonly chars: number;
  /** SHA-256, hex, of its UTF-8; absent where the policy leaves the text out. */
  readonly sha256?: string | undefined;
  /** The text, of a long one its beginning; absent where the policy keeps no words. */
  readonly text?: string | undefined;
}

interface OfRun {
  readonly owner: string;
  readonly run: string;
  /** Of a run within the run: the ids of the calls that it is the work of, the outermost first, with `/` between them. */
  readonly within?: string | undefined;
}

interface OfCall extends OfRun {
  readonly callId: string;
  /** As the gateway has it, whatever an agent calls it; of a decision as the person was shown it. */
  readonly tool: string;
}

/** One thing that was asked, done or decided. */
export type AuditEvent =
  | (OfRun & {
      readonly type: "run-asked";
      /** Name of the caller. */
      readonly by: string;
      readonly agent: string;
      readonly session?: string | undefined;
    })
  /** Written before the call has any effect: what cannot be written does not run. */
  | (OfCall & {
      readonly type: "tool-began";
      readonly arguments: AuditedText;
      /** True where the call may have its effect only once: it begins again by a person's decision alone. Absent in older entries. */
      readonly once?: true | undefined;
      /** True where it runs by a person's decision, or its rules want one: a `decided` entry of the call comes before. */
      readonly approval?: true | undefined;
    })
  /** `waiting`: it asked a person, or a run within it did; the person's word is its result, or it begins once more by it. */
  | (OfCall & {
      readonly type: "tool-ended";
      readonly outcome: ToolCallOutcome | "waiting";
      readonly ms: number;
      /** What the model reads; absent where there is nothing yet. */
      readonly result?: AuditedText | undefined;
    })
  /** The process in which it began has ended; whether it had an effect is not known. */
  | (OfCall & { readonly type: "tool-lost" })
  /** Written before it counts. */
  | (OfCall & {
      readonly type: "decided";
      /** Name of the caller who decided. */
      readonly by: string;
      readonly interrupt: string;
      readonly decision: Decision["type"];
      /** Hash of the plan that the word counts for; absent for a question. */
      readonly plan?: string | undefined;
      /** Those of the plan. */
      readonly arguments?: AuditedText | undefined;
      /** What the person wrote: an answer, edited arguments, a reason. */
      readonly words?: AuditedText | undefined;
    })
  /** A word that counts for nothing, and why: there is no such interrupt of the owner's, another was first, it was for another plan. */
  | {
      readonly type: "decision-refused";
      readonly owner: string;
      readonly by: string;
      readonly interrupt: string;
      readonly decision: Decision["type"];
      readonly code: FailureCode;
    }
  /** Something that the run would go on from is not what the gateway wrote; nothing of it is done. */
  | (OfRun & {
      readonly type: "damaged";
      /** For a person: which record it is. */
      readonly record: string;
    })
  /** An operator had all seals of the store made anew. `owner` is blank: it is nobody's. `decisions`: those that were thrown away. */
  | { readonly type: "resealed"; readonly owner: string; readonly runs: number; readonly decisions: number }
  /** Its owner wants the run to end. */
  | (OfRun & { readonly type: "cancel-asked" })
  | (OfRun & { readonly type: "run-ended"; readonly outcome: RunOutcome })
  /** Of these entries the events are gone, since their owner's data was erased; the entries stand. */
  | { readonly type: "erased"; readonly owner: string; readonly entries: number; readonly seqs: readonly SeqRange[] }
  /** All entries up to this one are gone: they were from before `before` (epoch milliseconds). `hash` is the last one's. */
  | { readonly type: "cut"; readonly through: number; readonly hash: string; readonly before: number };

/** Numbers of entries, from the first to the last. */
export type SeqRange = readonly [number, number];

/** An event with its place in the chain. Its hash holds the one before it, so that none can be changed, left out or moved unseen. */
export interface AuditEntry {
  /** From 1, without a gap; what was cut away for its age is missing at the beginning. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hash of the entry before; of the first one a random number, which no other chain has. */
  readonly previous: string;
  /** SHA-256, hex, of salt and event. */
  readonly digest: string;
  /** SHA-256, hex, of all of the above. */
  readonly hash: string;
  /** Whose it is, as its event says; blank where it is the gateway's own, or the event is gone. */
  readonly owner: string;
  /** Hex. Without it nobody finds out by guessing what an erased event said. It goes with the event. */
  readonly salt?: string | undefined;
  /** The event's JSON text as it was written: the hash is of these characters, and nobody writes them anew. */
  readonly event?: string | undefined;
}

/** The last entry as it is told to the outside: whoever has it can tell later whether the chain still leads there. */
export type AuditHead = Pick<AuditEntry, "seq" | "hash" | "at">;

/** Entries in their order, one chain for all processes that share the store. Methods reject as those of a `Store` do. */
export interface AuditStore {
  /** All or none, at the end of the chain; on the disk before it resolves, unless `through` is false: then a machine that loses its power may forget it. */
  append(events: readonly AuditEvent[], through?: boolean): Promise<void>;
  /** Undefined where there is no entry. */
  head(): Promise<AuditHead | undefined>;
  /** In their order, at most so many. */
  entries(after: number, most: number): Promise<readonly AuditEntry[]>;
  /** Has `work` copy entries elsewhere, while nobody appends and nobody else copies there; remembers the number that it resolves with. */
  copy(to: string, work: (copy: AuditMirror) => Promise<number>): Promise<void>;
}

/** What is to be copied. */
export interface AuditMirror {
  /** Up to which entry it was copied before; undefined where it never was. */
  readonly mark: number | undefined;
  /** The number of the last entry; 0 where there is none. */
  readonly head: number;
  /** The next ones, as many as a slice has. */
  entriesAfter(seq: number): Promise<readonly AuditEntry[]>;
}

/** Where what happens is written down. */
export interface AuditLog {
  /**
   * All or none of them, in their order. What resolved is on the disk: an effect may follow.
   * @throws PostelError `store_unavailable`, `store_full`, `store_damaged`: no effect may follow. Nothing was written, but that the store
   * may have them where the file beside it could not.
   */
  record(events: readonly AuditEvent[]): Promise<void>;
  /** As `record`, of what no effect follows: it outlives this process, and a loss of power only once something more is recorded, or after a while. */
  note(events: readonly AuditEvent[]): Promise<void>;
}
