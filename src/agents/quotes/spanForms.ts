// Lists the forms of a call in an answer that a source may contain: without fences, closing markers and escaped markers.
import { stripBreaks } from "./conversationTimeline.ts";

/** Opening line of a text in a fence of backticks or tildes. */
const FENCED = /^\s*(`{3,}|~{3,})[^\n]*(?=\n)/;
/** Markers at the end of a call, after its arguments: `</call>`, `<|end|>`, `[/CALL]`, `**`. */
const CLOSERS = /(?<=[}\])]|<\/[^<>\s]{1,60}>)(?:\s*(?:<[^<>\s]{1,60}>|\[\/?\w{1,60}\]|\*\*|__)){1,8}\s*$/;
/** Number of characters at the end of a call that are searched for closing markers. */
const CLOSED = 300;
/** The span itself first. */
export function spanForms(span: string): ReadonlySet<string> {
  return new Set([span, stripFence(span), stripBreaks(span), stripClosers(span)]);
}

/** Removes a fence, which the quoting model may have added. */
function stripFence(span: string): string {
  const [opener, fence] = FENCED.exec(span) ?? [];
  if (opener === undefined || fence === undefined) return span;
  const end = span.lastIndexOf(fence);
  const inner = span.slice(opener.length, Math.max(end, opener.length));
  return inner.trim() === "" ? span : inner;
}

/** Removes closing markers: a truncated result may lack them, and the quoting model may have added them. */
function stripClosers(span: string): string {
  const tail = span.slice(-CLOSED);
  const closers = CLOSERS.exec(tail)?.[0] ?? "";
  return span.slice(0, span.length - closers.length);
}
