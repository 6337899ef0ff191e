// Truncates tool results for the model, and stores the rest so that the model can read on.

import type { Redact } from "../../core/ports.ts";
import { KEPT_OF_RESULT, READ_RESULT } from "../../core/runs/resultLimits.ts";

/** A piece of a stored result of the run; `text` begins at character `offset` of that result. */
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

/** Shared by parallel calls, so that together they store no more than the run may. */
export class ResultTruncator {
  readonly #chars: number;
  #remainingChars: number;

  /** @param chars characters that a model reads at once @param remainingChars characters that may still be stored */
  constructor(chars: number, remainingChars: number) {
    this.#chars = chars;
    this.#remainingChars = remainingChars;
  }

  /** The text of a call's result, truncated if it is too long. */
  show(text: string, callId: string, redact: Redact): TruncatedResult {
    // The shown text is a copy: a slice of a text of megabytes would keep all of it in memory.
    if (text.length <= this.#chars) return { content: redact(text) };
    const maxChars = Math.min(this.#remainingChars, KEPT_OF_RESULT);
    // A stored rest that is not longer than the shown text would be useless.
    if (maxChars <= this.#chars)
      return { content: this.#createNote(copied(redact(truncateText(text, this.#chars))), text.length, NOT_KEPT) };
    const redactedText = copied(redact(truncateText(text, maxChars)));
    this.#remainingChars -= redactedText.length;
    const shownText = truncateText(redactedText, this.#chars);
    const part = text.length > maxChars ? ` Only the first ${redactedText.length} characters are kept.` : "";
    return {
      content: this.#createNote(
        copied(shownText),
        text.length,
        formatContinuationHint(callId, shownText.length) + part,
      ),
      whole: redactedText,
    };
  }

  /** A piece of a stored result, truncated like any result; its rest is stored already. */
  showKept({ callId, offset, text }: KeptText): TruncatedResult {
    const shownText = truncateText(text, this.#chars);
    if (shownText.length === text.length) return { content: text };
    return {
      content: this.#createNote(
        copied(shownText),
        text.length,
        formatContinuationHint(callId, offset + shownText.length),
      ),
    };
  }

  #createNote(shownText: string, totalChars: number, instruction: string): string {
    return `${shownText}\n... (truncated ${totalChars - shownText.length} characters)\n${instruction}`;
  }
}

const NOT_KEPT = "The rest is not kept; ask for less of it.";

/** Instruction by which a model reads on in a result from this character. */
export function formatContinuationHint(callId: string, offset: number): string {
  return `To read on, call ${READ_RESULT} with ${JSON.stringify({ call_id: callId, offset })}.`;
}

/** Does not split a surrogate pair. */
function truncateText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[maxChars - 1] ?? "") ? maxChars - 1 : maxChars);
}

function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
