// Gives the forms of a call in an answer that a source may hold: an answer adds fences, closing marks and broken marks. Looks nowhere.
import { stripBreaks } from "./conversationTimeline.ts";

/** A text in a fence of backticks or tildes, and the line that opens it. */
const FENCED = /^\s*(`{3,}|~{3,})[^\n]*(?=\n)/;
/** Marks at the end of a call, behind what ends its arguments: `</call>`, `<|end|>`, `[/CALL]`, `**`. */
const CLOSERS = /(?<=[}\])]|<\/[^<>\s]{1,60}>)(?:\s*(?:<[^<>\s]{1,60}>|\[\/?\w{1,60}\]|\*\*|__)){1,8}\s*$/;
/** Characters at the end of a call in which its closing marks stand. */
const CLOSED = 300;
/** The span itself first. */
export function spanForms(span: string): ReadonlySet<string> {
  return new Set([span, withoutFence(span), stripBreaks(span), withoutClosers(span)]);
}

/** A fence is how a text is shown, and whoever quotes it may have written it. */
function withoutFence(span: string): string {
  const [opener, fence] = FENCED.exec(span) ?? [];
  if (opener === undefined || fence === undefined) return span;
  const end = span.lastIndexOf(fence);
  const inner = span.slice(opener.length, Math.max(end, opener.length));
  return inner.trim() === "" ? span : inner;
}

/** A result may be cut off before the marks that close a call, and whoever quotes it may have closed it. */
function withoutClosers(span: string): string {
  const tail = span.slice(-CLOSED);
  const closers = CLOSERS.exec(tail)?.[0] ?? "";
  return span.slice(0, span.length - closers.length);
}
