// Events of the parser, in the order of the text.

import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall, ToolMode, ToolSpec } from "../../core/messages.ts";
import type { ReasoningCapability } from "../../core/models/capabilities.ts";
import type { Ids } from "../../core/ports.ts";

/**
 * `at` is the offset of the event's characters: UTF-16 units from the start of the attempt's text. Together the characters of text,
 * reasoning, calls' raw, issues' raw and dropped spans are the complete text, each once.
 */
export type ParserEvent =
  | TextEvent<"text">
  | TextEvent<"reasoning">
  | { readonly type: "call"; readonly at: number; readonly call: ToolCall }
  | { readonly type: "issue"; readonly issue: FormatIssue }
  /** Markup and glue that is not emitted: for the conservation of characters, and for `parse --explain`. */
  | { readonly type: "dropped"; readonly at: number; readonly raw: string; readonly why: string };

/** Reason for dropped text of an issue that exceeds the number of reported issues. */
export const UNREPORTED_ISSUE = "one-issue-too-many";

interface TextEvent<Channel extends "text" | "reasoning"> {
  readonly type: Channel;
  readonly at: number;
  readonly text: string;
  /** Text of the model, if it differs from `text`: an answer in the form of a JSON object. */
  readonly raw?: string | undefined;
}

/** Text that looked like a call without markers and is text again. */
export interface ReleasedCandidate {
  readonly at: number;
  readonly length: number;
  /** Format as which it was fitted, if it came so far. */
  readonly family?: string | undefined;
  /** Reason as text for the reader of an explanation. */
  readonly why: string;
}

export interface ParserOptions {
  /** The tools that were offered; empty: nothing is a call. */
  readonly tools: readonly ToolSpec[];
  /** False with `tool_choice: none`: call markers are ordinary text. */
  readonly callsAllowed: boolean;
  /** In text mode the generic shapes of the emulated format count as explicit markers. */
  readonly toolMode: ToolMode;
  /** Ids of formats that the model is known to leak. They decide about texts that two formats read differently. */
  readonly formats: readonly string[];
  /** Format that the prompt asked for, in text mode. */
  readonly emulate?: string | undefined;
  /** True if the upstream was asked to enforce the JSON of a call: then that is an explicit form, whatever the prompt named. */
  readonly heldToCall?: boolean | undefined;
  /** True if a number with a fraction may stand for an `integer` of a schema that is not strict. */
  readonly fractions?: boolean | undefined;
  /** Ids of tolerances (specs/tolerances.ts) that are switched off, to measure their effect. Text that needs one is no call. */
  readonly without?: ReadonlySet<string> | undefined;
  /** True if the prompt has opened a reasoning block, so that the text starts inside it. */
  readonly reasoningOpened: boolean;
  /** Reasoning markers that the model is known to write. Also tells if a block may begin in the middle of its turn. */
  readonly reasoning?: Pick<ReasoningCapability, "marks" | "interleaved"> | undefined;
  /** Id of the chat template whose framing the model writes, if it is known. */
  readonly wire?: string | undefined;
  readonly ids: Pick<Ids, "callId">;
  /** Maximum characters of one capture. A longer one is a truncated call. */
  readonly captureChars: number;
  /** Characters that one slice shows to the readers. The default blocks the process for some 10 ms. */
  readonly sliceChars?: number | undefined;
}

/** Returns dropped markup, which has no gaps, as content if the model wrote nothing else. */
export function asText(dropped: readonly ParserEvent[]): ParserEvent {
  const raws = dropped.map((event) => (event.type === "dropped" ? event : { at: 0, raw: "" }));
  return { type: "text", at: raws[0]?.at ?? 0, text: raws.map(({ raw }) => raw).join("") };
}
