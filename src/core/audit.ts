// What is written down so that it can be shown later who did what: the entries, the chain that they make, and where it is kept. Knows no store and no run.
import type { Decision } from "./interrupts.ts";
import type { RunOutcome } from "./outcomes.ts";

/** A text as the record has it, by the operator's policy: its hash and length always, its words whole, in part or not at all. */
export interface AuditedText {
  /** Of the text as it was, in UTF-16 units. */
  readonly chars: number;
  /** SHA-256, hex, of the text as it was. */
  readonly sha256: string;
  /** Without secrets; its beginning where it is long; absent where the policy leaves words out. */
  readonly text?: string | undefined;
}

interface OfRun {
  readonly owner: string;
  readonly run: string;
}

interface OfCall extends OfRun {
  readonly callId: string;
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
      /** The run within which it goes on. */
      readonly parent?: string | undefined;
    })
  /** Written before the call has any effect: what cannot be written does not run. */
  | (OfCall & { readonly type: "tool-began"; readonly arguments: AuditedText })
  | (OfCall & {
      readonly type: "tool-ended";
      readonly isError: boolean;
      readonly ms: number;
      readonly result: AuditedText;
    })
  | (OfRun & {
      readonly type: "decided";
      /** Name of the caller who decided. */
      readonly by: string;
      readonly interrupt: string;
      readonly decision: Decision["type"];
      /** Hash of the plan that the word counts for; absent for a question. */
      readonly plan?: string | undefined;
      /** What the person wrote: an answer, edited arguments, a reason. */
      readonly words?: AuditedText | undefined;
    })
  | (OfRun & { readonly type: "run-ended"; readonly outcome: RunOutcome })
  /** The words of an owner's entries are gone at somebody's command; their hashes stand. */
  | { readonly type: "erased"; readonly owner: string; readonly entries: number };
