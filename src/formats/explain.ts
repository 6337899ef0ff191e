// Maps parser events to spans of the text, with kind, format and reason, for display. Reads no text itself.
import { type ParserEvent, type ReleasedCandidate, UNREPORTED_ISSUE } from "./state/ParserEvent.ts";

/** One span of the text. The spans together are the complete text, each character once. */
export interface ExplainedSpan {
  /** UTF-16 units from the start of the text. */
  readonly at: number;
  /** 0 for a further call of the same block, and for a remark about a place. */
  readonly length: number;
  readonly kind: "content" | "reasoning" | "call" | "issue" | "dropped";
  /** Id of the format that took it. */
  readonly family?: string | undefined;
  /** The called tool, or the one that an issue's author meant. */
  readonly tool?: string | undefined;
  /** Code of the issue, or the parser's reason for a dropped span. */
  readonly code?: string | undefined;
  readonly repairs?: readonly string[] | undefined;
  /** For the reader of the explanation: why it is no call, or why it is not shown. */
  readonly why?: string | undefined;
  readonly text: string;
}

/** Explains the events of one complete text, with the candidates that were given back while it was read. */
export function explainParse(
  events: readonly ParserEvent[],
  released: readonly ReleasedCandidate[],
): readonly ExplainedSpan[] {
  return joinSpans(events.map(toExplainedSpan)).flatMap((span) => splitAtReleased(span, released));
}

function toExplainedSpan(event: ParserEvent): ExplainedSpan {
  switch (event.type) {
    case "text":
    case "reasoning":
      return createSpan(event.type === "text" ? "content" : "reasoning", event.at, event.raw ?? event.text);
    case "call": {
      const { name, origin, repairs, raw } = event.call;
      return { ...createSpan("call", event.at, raw), family: origin, tool: name, repairs };
    }
    case "issue": {
      const { code, message, family, tool, at = 0, raw = "" } = event.issue;
      return { ...createSpan("issue", at, raw), code, why: message, family, tool };
    }
    case "dropped":
      return {
        ...createSpan("dropped", event.at, event.raw),
        code: event.why,
        why: REASON_TEXTS[event.why] ?? event.why,
      };
    default:
      return event satisfies never;
  }
}

function createSpan(kind: ExplainedSpan["kind"], at: number, text: string): ExplainedSpan {
  return { at, length: text.length, kind, text };
}

/** Plain text for the parser's reasons. */
const REASON_TEXTS: Readonly<Record<string, string>> = {
  mark: "markup of the format",
  glue: "white space that belongs to the mark beside it",
  blank: "white space with no text behind it",
  label: "a label of the format",
  header: "a message header",
  "stray-mark": "a mark without its other half",
  "cut-mark": "a mark that the end of the text cut off",
  "cut-header": "a message header that the end of the text cut off",
  "garbled-header": "a message header that cannot be read",
  [UNREPORTED_ISSUE]: "what failed like this before, more often than is reported",
  "empty-block": "a call block with nothing in it",
  preview: "a call that the model announces and then writes in its own format",
  "no-action": "an action that says that nothing is called",
  "turn-start": "the header of the assistant's turn",
  "turn-end": "the mark that ends the turn",
  "foreign-turn": "a turn that is not the assistant's",
  "after-turn-end": "behind the end of the turn nothing is read",
  "after-action": "behind an action the model plays the tool",
  "after-answer": "behind the final answer nothing is read",
  "capture-limit": "behind a call that is too long to be read",
};

/** Neighbours that differ in nothing but their place become one: text arrives in pieces. */
function joinSpans(spans: readonly ExplainedSpan[]): readonly ExplainedSpan[] {
  const joined: ExplainedSpan[] = [];
  for (const next of spans) {
    const last = joined.at(-1);
    if (!last || !isContinuation(last, next)) joined.push(next);
    else joined[joined.length - 1] = { ...last, length: last.length + next.length, text: last.text + next.text };
  }
  return joined;
}

function isContinuation(last: ExplainedSpan, next: ExplainedSpan): boolean {
  const isMergeable = next.kind === "content" || next.kind === "reasoning" || next.kind === "dropped";
  return isMergeable && next.kind === last.kind && next.code === last.code && next.at === last.at + last.length;
}

/** Splits a text at the candidates inside it, so that each has its reason. */
function splitAtReleased(span: ExplainedSpan, released: readonly ReleasedCandidate[]): readonly ExplainedSpan[] {
  if (span.kind !== "content" && span.kind !== "reasoning") return [span];
  const parts: ExplainedSpan[] = [];
  let explainedLength = 0;
  for (const { at, length, family, why } of released) {
    const from = Math.max(at - span.at, explainedLength);
    const to = Math.min(at + length - span.at, span.length);
    if (from >= to) continue;
    if (from > explainedLength) parts.push(sliceSpan(span, explainedLength, from));
    parts.push({ ...sliceSpan(span, from, to), family, why });
    explainedLength = to;
  }
  if (explainedLength < span.length || parts.length === 0) parts.push(sliceSpan(span, explainedLength, span.length));
  return parts;
}

function sliceSpan(span: ExplainedSpan, from: number, to: number): ExplainedSpan {
  return { ...span, at: span.at + from, length: to - from, text: span.text.slice(from, to) };
}
