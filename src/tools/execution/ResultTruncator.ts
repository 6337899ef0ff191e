// What of a tool's result its model reads at once, and what is kept so that it can be read on. Knows no run and no store.

import type { Redact } from "../../core/ports.ts";
import { KEPT_OF_RESULT, READ_RESULT } from "../../core/runs/resultLimits.ts";

/** A piece of what was kept of an earlier result of the run: `text` begins at the character `offset` of it. */
export class KeptText {
  readonly callId: string;
  readonly offset: number;
  readonly text: string;

  constructor(callId: string, offset: number, text: string) {
    this.callId = callId;
    this.offset = offset;
    this.text = text;
  }
}

export interface TruncatedResult {
  readonly content: string;
  /** See `ToolResult.whole`. */
  readonly whole?: string | undefined;
}

/** Shared by the calls that run at the same time, so that together they keep no more than the run may. */
export class ResultTruncator {
  readonly #chars: number;
  #left: number;

  /**
   * @param chars characters that a model reads at once
   * @param left characters that may still be kept
   */
  constructor(chars: number, left: number) {
    this.#chars = chars;
    this.#left = left;
  }

  /** The text of a call's result, cut where it is too long. */
  show(text: string, callId: string, redact: Redact): TruncatedResult {
    // What is shown is a copy: a part of a text of megabytes holds all of it in memory.
    if (text.length <= this.#chars) return { content: redact(text) };
    const most = Math.min(this.#left, KEPT_OF_RESULT);
    // Of no use is a rest that is no longer than what is shown.
    if (most <= this.#chars)
      return { content: this.#note(copied(redact(head(text, this.#chars))), text.length, NOT_KEPT) };
    const whole = copied(redact(head(text, most)));
    this.#left -= whole.length;
    const shown = head(whole, this.#chars);
    const part = text.length > most ? ` Only the first ${whole.length} characters are kept.` : "";
    return {
      content: this.#note(copied(shown), text.length, formatContinuationHint(callId, shown.length) + part),
      whole,
    };
  }

  /** A piece of what was kept, cut as any result is; the rest of it is kept already. */
  showKept({ callId, offset, text }: KeptText): TruncatedResult {
    const shown = head(text, this.#chars);
    if (shown.length === text.length) return { content: text };
    return { content: this.#note(copied(shown), text.length, formatContinuationHint(callId, offset + shown.length)) };
  }

  #note(shown: string, of: number, how: string): string {
    return `${shown}\n... (truncated ${of - shown.length} characters)\n${how}`;
  }
}

const NOT_KEPT = "The rest is not kept; ask for less of it.";

/** How a model reads on in a result from this character. */
export function formatContinuationHint(callId: string, offset: number): string {
  return `To read on, call ${READ_RESULT} with ${JSON.stringify({ call_id: callId, offset })}.`;
}

/** Never cut between the halves of a surrogate pair. */
function head(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") ? most - 1 : most);
}

function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
