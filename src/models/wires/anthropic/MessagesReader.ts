// Converts answers of Anthropic's Messages, streaming or not, to chat chunks.
import type {
  ContentBlock,
  Message,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason,
} from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asArray, asObject, asObjects, asString } from "../../looseJson.ts";
import type { WireAnswer } from "../UpstreamWire.ts";
import { toChatUsage } from "./chatUsage.ts";
import { toAnnotation } from "./citations.ts";

type EventType = RawMessageStreamEvent["type"] | Message["type"];

/** `pause_turn`: an unfinished turn of server tools, which a client of the chat wire cannot continue. */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "length",
  refusal: "content_filter",
};

/** An open block. Blocks of the server's own tools, which it has run itself, are `other`: none of them is a call for the client. */
type Block =
  | { readonly type: "text"; readonly from: number; readonly citations: JsonObject[] }
  | { readonly type: "call"; readonly call: number; hasStarted: boolean }
  | { readonly type: "thinking"; hasStarted: boolean }
  | { readonly type: "other" };

/** Reads one answer, in order. A non-streaming message is read like the events of a stream. */
export class MessagesReader implements WireAnswer {
  readonly #blocks = new Map<number, Block>();
  #calls = 0;
  /** Characters of text so far. */
  #chars = 0;
  #usage: JsonObject = {};
  #done = false;

  get done(): boolean {
    return this.#done;
  }

  isAnswer({ type }: JsonObject): boolean {
    return type === ("message" satisfies Message["type"]);
  }

  read(value: JsonObject): readonly JsonObject[] {
    const index = Number(value.index ?? 0);
    switch (value.type as EventType) {
      case "message":
        return this.#readWhole(value);
      case "message_start":
        return this.#start(asObject(value.message) ?? {});
      case "content_block_start":
        return this.#open(index, asObject(value.content_block) ?? {});
      case "content_block_delta":
        return this.#continue(index, asObject(value.delta) ?? {});
      case "content_block_stop":
        return this.#close(index);
      case "message_delta":
        return this.#finish(asObject(value.delta) ?? {}, value.usage);
      case "message_stop":
        this.#done = true;
        return [];
      default:
        return [];
    }
  }

  #readWhole(message: JsonObject): readonly JsonObject[] {
    const start = this.#start(message);
    const blocks = asArray(message.content).flatMap((block, index) => [
      ...this.#open(index, asObject(block) ?? {}),
      ...this.#close(index),
    ]);
    this.#done = true;
    return [...start, ...blocks, ...this.#finish(message, message.usage)];
  }

  #start({ role, usage }: JsonObject): readonly JsonObject[] {
    this.#usage = asObject(usage) ?? {};
    return [chunk({ role: role ?? "assistant" })];
  }

  #open(index: number, block: JsonObject): readonly JsonObject[] {
    switch (block.type as ContentBlock["type"]) {
      case "text":
        this.#blocks.set(index, {
          type: "text",
          from: this.#chars,
          citations: [...asObjects(block.citations)],
        });
        return this.#text(asString(block.text));
      case "thinking":
        this.#blocks.set(index, { type: "thinking", hasStarted: false });
        return this.#thought(index, block);
      case "redacted_thinking":
        this.#blocks.set(index, { type: "other" });
        return [chunk({ thinking_blocks: [{ type: "redacted_thinking", index, data: block.data ?? "" }] })];
      case "tool_use":
        return [this.#openCall(index, block)];
      default:
        this.#blocks.set(index, { type: "other" });
        return [];
    }
  }

  /** In a stream the input is empty here and arrives in pieces. In a non-streaming message it is complete. */
  #openCall(index: number, { id, name, input }: JsonObject): JsonObject {
    const inputObject = asObject(input);
    const hasStarted = inputObject !== undefined && Object.keys(inputObject).length > 0;
    const call = this.#calls++;
    this.#blocks.set(index, { type: "call", call, hasStarted });
    const called = { name: name ?? "", arguments: hasStarted ? JSON.stringify(inputObject) : "" };
    return chunk({ tool_calls: [{ index: call, id: id ?? "", type: "function", function: called }] });
  }

  #continue(index: number, delta: JsonObject): readonly JsonObject[] {
    const block = this.#blocks.get(index);
    switch (delta.type as RawContentBlockDelta["type"]) {
      case "text_delta":
        return this.#text(asString(delta.text));
      case "input_json_delta": {
        const piece = asString(delta.partial_json);
        if (block?.type !== "call" || piece === undefined) return [];
        block.hasStarted = true;
        return [toArgumentsFragment(block.call, piece)];
      }
      case "thinking_delta":
      case "signature_delta":
        return this.#thought(index, delta);
      case "citations_delta": {
        const citation = asObject(delta.citation);
        if (block?.type === "text" && citation) block.citations.push(citation);
        return [];
      }
      default:
        return [];
    }
  }

  #close(index: number): readonly JsonObject[] {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (block?.type === "call" && !block.hasStarted) return [toArgumentsFragment(block.call, "{}")];
    if (block?.type !== "text" || block.citations.length === 0) return [];
    const span = { start_index: block.from, end_index: this.#chars };
    return [chunk({ annotations: block.citations.map((citation) => toAnnotation(citation, span)) })];
  }

  /**
   * Emits reasoning as text, and as a block that the client sends back with its signature. A block begins empty,
   * and a hidden one stays empty.
   */
  #thought(index: number, said: JsonObject): readonly JsonObject[] {
    const block = this.#blocks.get(index);
    const text = asString(said.thinking);
    const signature = asString(said.signature);
    if (block?.type !== "thinking" || (text === undefined && signature === undefined)) return [];
    const thinking = text ?? (block.hasStarted ? undefined : "");
    block.hasStarted = true;
    const piece = {
      type: "thinking",
      index,
      ...(thinking !== undefined && { thinking }),
      ...(signature !== undefined && { signature }),
    };
    return [chunk({ ...(text !== undefined && { reasoning_content: text }), thinking_blocks: [piece] })];
  }

  #text(text: string | undefined): readonly JsonObject[] {
    if (text === undefined) return [];
    this.#chars += text.length;
    return [chunk({ content: text })];
  }

  /** Counts are cumulative: those of the end override those of the start; counts that the end omits stay. */
  #finish({ stop_reason, stop_details }: JsonObject, usage: JsonValue | undefined): readonly JsonObject[] {
    const counts = Object.entries(asObject(usage) ?? {}).filter(([, count]) => count !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
    const text = asString(stop_reason);
    const finish = text === undefined ? null : (FINISH_REASONS[text as StopReason] ?? text);
    const explanation = asString(asObject(stop_details)?.explanation);
    const chatUsage = toChatUsage(this.#usage);
    return [
      {
        ...chunk(explanation === undefined ? {} : { refusal: explanation }, finish),
        ...(chatUsage && { usage: chatUsage }),
      },
    ];
  }
}

function chunk(delta: JsonObject, finish: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function toArgumentsFragment(call: number, piece: string): JsonObject {
  return chunk({ tool_calls: [{ index: call, function: { arguments: piece } }] });
}
