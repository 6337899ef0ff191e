// Events → chunk objects, Collected → completion object: the OpenAI wire on the way out. Knows no HTTP.
import type { Collected, Outline } from "../core/collect.ts";
import type { Extra, FinishReason, RunEvent, Usage } from "../core/events.ts";
import { mergeExtra, withForeignFields } from "../core/foreignFields.ts";
import type { JsonObject, ToolCall } from "../core/messages.ts";
import { wireIssue } from "./TurnReport.ts";

/** What every chunk and the whole answer have in common. */
export interface AnswerFrame {
  readonly id: string;
  readonly model: string;
  /** Epoch seconds. */
  readonly created: number;
}

/** The whole answer. */
export function completion(frame: AnswerFrame, collected: Collected, postel: JsonObject): JsonObject {
  const calls = collected.calls.map(wireCall);
  return {
    ...mergeExtra(collected.extra, "chunk"),
    ...frame,
    object: "chat.completion",
    choices: [
      {
        logprobs: null,
        ...mergeExtra(collected.extra, "choice"),
        index: 0,
        message: {
          refusal: null,
          ...mergeExtra(collected.extra, "delta"),
          role: "assistant",
          content: contentOf(collected),
          ...(collected.reasoning !== "" && { reasoning_content: collected.reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishReason(collected),
      },
    ],
    ...(collected.end?.usage && { usage: wireUsage(collected.end.usage) }),
    postel,
  };
}

/** Turns one answer's events into chunk objects; holds which of them has had the role, whether one said anything, and the next call's index. */
export class ChunkEncoder {
  readonly #frame: AnswerFrame;
  readonly #usage: boolean;
  readonly #runEvents: boolean;
  #roleSent = false;
  #said = false;
  #calls = 0;

  /** `usage`: the client asked for it. `runEvents`: they travel as `postel_event` (agent routes only). */
  constructor(frame: AnswerFrame, options: { readonly usage: boolean; readonly runEvents: boolean }) {
    this.#frame = frame;
    this.#usage = options.usage;
    this.#runEvents = options.runEvents;
  }

  /** The chunks that one event becomes; none for what the client is not told. */
  chunks(event: RunEvent): JsonObject[] {
    switch (event.type) {
      case "text-delta":
        this.#said ||= event.text !== "";
        return [this.#text(event.text, event.extra ?? [])];
      case "reasoning-delta":
        this.#said ||= event.text !== "";
        return [this.#delta({ ...this.#role(null), reasoning_content: event.text })];
      case "tool-call":
        return this.#call(event.call);
      // The last turn's end is known only when the run is over: `last` writes it.
      case "turn-end":
      case "turn-failed":
        return [];
      default:
        return this.#runEvents ? this.#runEvent(event) : [];
    }
  }

  /** The chunk that carries the finish reason, and the usage chunk where it was asked for. */
  last(outline: Outline, postel: JsonObject): JsonObject[] {
    // An answer of nothing at all is an empty text.
    const delta = { ...this.#role(""), ...(!this.#said && !outline.called && { content: "" }) };
    const finish = this.#chunk([{ index: 0, delta, finish_reason: finishReason(outline) }]);
    const closing = { ...finish, postel };
    const usage = outline.end?.usage;
    if (!this.#usage) return [closing];
    return [closing, { ...this.#frame, object: CHUNK, choices: [], usage: usage ? wireUsage(usage) : null }];
  }

  #text(text: string, extra: readonly Extra[]): JsonObject {
    // Beside no text stand fields of the message; an empty content of theirs would turn the null of a call into a text.
    const said = text === "" ? this.#role(null) : { ...this.#role(""), content: text };
    const delta = { ...mergeExtra(extra, "delta"), ...said };
    const choice = { ...mergeExtra(extra, "choice"), index: 0, delta, finish_reason: null };
    return { ...mergeExtra(extra, "chunk"), ...this.#chunk([choice]) };
  }

  /** A call leaves whole, in the two steps that clients know: who is called, then with what. */
  #call(call: ToolCall): JsonObject[] {
    const index = this.#calls++;
    const opening = { index, ...wireCall({ ...call, arguments: "" }) };
    return [
      this.#delta({ ...this.#role(null), tool_calls: [opening] }),
      this.#delta({ tool_calls: [{ index, function: { arguments: call.arguments } }] }),
    ];
  }

  /** The deltas of run events are empty, so the role goes ahead of the first. */
  #runEvent(event: RunOnlyEvent): JsonObject[] {
    const opening = this.#roleSent ? [] : [this.#delta(this.#role(null))];
    return [...opening, { ...this.#delta({}), postel_event: runEvent(event) }];
  }

  #role(content: string | null): JsonObject {
    if (this.#roleSent) return {};
    this.#roleSent = true;
    return { role: "assistant", content };
  }

  #delta(delta: JsonObject): JsonObject {
    return this.#chunk([{ index: 0, delta, finish_reason: null }]);
  }

  #chunk(choices: readonly JsonObject[]): JsonObject {
    return { ...this.#frame, object: CHUNK, choices, ...(this.#usage && { usage: null }) };
  }
}

const CHUNK = "chat.completion.chunk";

/** What has no form of its own on the OpenAI wire. */
type RunOnlyEvent = Exclude<
  RunEvent,
  { type: "text-delta" | "reasoning-delta" | "tool-call" | "turn-end" | "turn-failed" }
>;

/** `null` beside calls or reasoning, as in a stream whose deltas hold no content; an answer of nothing at all is an empty text. */
function contentOf({ text, calls, reasoning }: Collected): string | null {
  return text === "" && (calls.length > 0 || reasoning !== "") ? null : text;
}

/** `tool_calls` if and only if the client receives a call; a run that its limits stopped was cut. */
function finishReason({ called, outcome, end }: Outline): FinishReason {
  if (called) return "tool_calls";
  if (outcome === "limit") return "length";
  const said = end?.finishReason ?? "stop";
  return said === "tool_calls" ? "stop" : said;
}

/** A call as the OpenAI wire has it in a whole message. */
export function wireCall(call: ToolCall): JsonObject {
  const { id, name, arguments: text } = call;
  return withForeignFields(call.extra, { id, type: "function", function: { name, arguments: text } });
}

function wireUsage(usage: Usage): JsonObject {
  return {
    ...usage.details,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
  };
}

function runEvent(event: RunOnlyEvent): JsonObject {
  switch (event.type) {
    case "run-start":
      return { type: event.type, run_id: event.runId };
    case "turn-start":
      return {
        type: event.type,
        tool_mode: event.toolMode,
        model_row: event.row,
        ...(event.note && { note: event.note }),
      };
    case "tool-start":
      return { type: event.type, call: wireCall(event.call) };
    case "tool-result": {
      const { type, callId, name, content, isError } = event;
      return { type, call_id: callId, name, content, is_error: isError };
    }
    case "format-issue":
      return { type: event.type, issue: wireIssue(event.issue, false) };
    case "attempt":
      return { type: event.type, n: event.n, reason: event.reason };
    case "run-end":
      return {
        type: event.type,
        outcome: event.outcome,
        ...(event.limit && { limit: event.limit }),
        turns: event.turns,
      };
  }
}
