// Encodes the events of one choice as chat-completion chunks in server-sent events.

import { stringifyCooperatively } from "../../../core/async/stringifyCooperatively.ts";
import type { AnswerSummary } from "../../../core/events/AnswerSummary.ts";
import type { Extra, RunEvent } from "../../../core/events/events.ts";
import { mergeExtra } from "../../../core/events/providerFields.ts";
import { isRefusal } from "../../../core/events/refusals.ts";
import type { TextKind } from "../../../core/events/TextFastLane.ts";
import type { JsonObject, ToolCall } from "../../../core/messages.ts";
import { createTextFrame, formatSseFrame, type WordsFrame } from "../../fastpath/sseFrame.ts";
import { type AnswerFrame, finishReason } from "./completion.ts";
import { type CallSpelling, callDeltas } from "./encodeCalls.ts";
import { toRunEventJson } from "./runEventJson.ts";

export interface ChunkOptions {
  /** True if the client asked for usage. */
  readonly usage: boolean;
  /** They travel as `postel_event` (agent routes only). */
  readonly runEvents: boolean;
  readonly calls: CallSpelling;
}

/** Tracks whether the role and any content were sent, and the index of the next call. */
export class ChunkEncoder {
  readonly #frame: AnswerFrame;
  /** Index of the choice within the answer. */
  readonly #index: number;
  readonly #options: ChunkOptions;
  #roleSent = false;
  #hasRole = false;
  #calls = 0;
  #content: WordsFrame | undefined;
  #reasoning: WordsFrame | undefined;

  constructor(frame: AnswerFrame, index: number, options: ChunkOptions) {
    this.#frame = frame;
    this.#index = index;
    this.#options = options;
  }

  events(events: readonly RunEvent[]): string | Promise<string> {
    let text = "";
    for (let at = 0; at < events.length; at += 1) {
      const event = events[at] as RunEvent;
      const frame = this.#framedWords(event) ?? frameChunks(this.#chunks(event));
      if (typeof frame !== "string") return this.#encodeLarge(text, frame, events.slice(at + 1));
      text += frame;
    }
    return text;
  }

  frameTexts(kind: TextKind, texts: readonly string[]): string | undefined {
    const frame = kind === "text" ? this.#content : this.#reasoning;
    if (!frame) return undefined;
    let text = "";
    for (const one of texts) {
      if (!isPlain(one)) return undefined;
      text += frame(one);
    }
    return text;
  }

  /** The chunk that carries the finish reason. */
  finish(outline: AnswerSummary): JsonObject {
    // An answer without any content is an empty text.
    const delta = { ...this.#role(""), ...(!this.#hasRole && !outline.called && { content: "" }) };
    return this.#chunk([{ index: this.#index, delta, finish_reason: finishReason(outline, this.#options.calls) }]);
  }

  async #encodeLarge(before: string, large: Promise<string>, following: readonly RunEvent[]): Promise<string> {
    const text = before + (await large);
    return text + (await this.events(following));
  }

  /**
   * Encodes a text event as `#chunks` would, from a frame that is built once per answer. Returns undefined if the event holds
   * more than text.
   */
  #framedWords(event: RunEvent): string | undefined {
    if (!this.#roleSent) return undefined;
    switch (event.type) {
      case "text-delta":
        if (!isPlain(event.text) || event.extra?.length) return undefined;
        this.#hasRole = true;
        this.#content ??= createTextFrame(this.#delta({ content: "" }), "content");
        return this.#content(event.text);
      case "reasoning-delta":
        if (!isPlain(event.text)) return undefined;
        this.#hasRole = true;
        this.#reasoning ??= createTextFrame(this.#delta({ reasoning_content: "" }), "reasoning_content");
        return this.#reasoning(event.text);
      default:
        return undefined;
    }
  }

  /** Chunks for one event; empty if the client does not receive the event. */
  #chunks(event: RunEvent): JsonObject[] {
    switch (event.type) {
      case "text-delta":
        this.#hasRole ||= event.text !== "" || event.extra?.some(isRefusal) === true;
        return [this.#text(event.text, event.extra ?? [])];
      case "reasoning-delta":
        this.#hasRole ||= event.text !== "";
        return [this.#delta({ ...this.#role(null), reasoning_content: event.text })];
      case "tool-call":
        return this.#call(event.call);
      // The last turn's end is known only when the run is over: `#last` writes it.
      case "turn-end":
      case "turn-failed":
        return [];
      default:
        return this.#options.runEvents ? this.#runEvent(event) : [];
    }
  }

  #text(text: string, extra: readonly Extra[]): JsonObject {
    // Extra fields can come without text. An empty content would then turn the null content of a call into a text.
    const spelled = text === "" ? this.#role(null) : { ...this.#role(""), content: text };
    const delta = { ...mergeExtra(extra, "delta"), ...spelled };
    const choice = { ...mergeExtra(extra, "choice"), index: this.#index, delta, finish_reason: null };
    return { ...mergeExtra(extra, "chunk"), ...this.#chunk([choice]) };
  }

  #call(call: ToolCall): JsonObject[] {
    const { opening, rest } = callDeltas(call, this.#calls++, this.#options.calls);
    return [this.#delta({ ...this.#role(null), ...opening }), this.#delta(rest)];
  }

  /** The deltas of run events are empty, so the role is sent before the first of them. */
  #runEvent(event: RunEvent): JsonObject[] {
    const opening = this.#roleSent ? [] : [this.#delta(this.#role(null))];
    return [...opening, { ...this.#delta({}), postel_event: toRunEventJson(event) }];
  }

  #role(content: string | null): JsonObject {
    if (this.#roleSent) return {};
    this.#roleSent = true;
    return { role: "assistant", content };
  }

  #delta(delta: JsonObject): JsonObject {
    return this.#chunk([{ index: this.#index, delta, finish_reason: null }]);
  }

  #chunk(choices: readonly JsonObject[]): JsonObject {
    const { id, model, created } = this.#frame;
    const chunk = { id, model, created, object: CHUNK, choices };
    return this.#options.usage ? { ...chunk, usage: null } : chunk;
  }
}

/** Maximum characters that are encoded in one step. */
const MOST_WORDS = 65_536;

function isPlain(text: string): boolean {
  return text !== "" && text.length <= MOST_WORDS;
}

/** Returns a promise only if a chunk is large. */
export function frameChunks(chunks: readonly JsonObject[]): string | Promise<string> {
  let text = "";
  for (let at = 0; at < chunks.length; at += 1) {
    const json = stringifyCooperatively(chunks[at] as JsonObject);
    if (typeof json !== "string")
      return json.then(async (large) => text + formatSseFrame(large) + (await frameChunks(chunks.slice(at + 1))));
    text += formatSseFrame(json);
  }
  return text;
}

export const CHUNK = "chat.completion.chunk";
