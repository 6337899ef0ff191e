// One message of the fake of Anthropic's API, whole and as the events in which the API streams it.
import type {
  ContentBlock,
  Message,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason,
  TextCitation,
} from "@anthropic-ai/sdk/resources/messages";
import { signatureOf } from "./anthropicRequest.ts";

/** What the model says. */
export interface Said {
  readonly content: readonly ContentBlock[];
  /** Else `tool_use` where there is a call, or `end_turn`. */
  readonly stop?: StopReason;
  /** Why it refused. */
  readonly explanation?: string;
  /** Tokens of the answer; absent: always as many. */
  readonly tokens?: number | undefined;
  /** Tokens that were read from the cache, and written to it. */
  readonly cached?: readonly [read: number, written: number];
}

export const INPUT_TOKENS = 25;
export const OUTPUT_TOKENS = 12;

export function says(text: string, citations: TextCitation[] | null = null): ContentBlock {
  return { type: "text", text, citations };
}

export function calls(id: string, name: string, input: object): ContentBlock {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}

export function thinks(thinking: string): ContentBlock {
  return { type: "thinking", thinking, signature: signatureOf(thinking) };
}

export function messageOf({ content, stop, explanation, tokens, cached }: Said, model: string): Message {
  const calling = content.some(({ type }) => type === "tool_use");
  return {
    id: "msg_fake",
    type: "message",
    role: "assistant",
    model,
    content: [...content],
    container: null,
    diagnostics: null,
    stop_reason: stop ?? (calling ? "tool_use" : "end_turn"),
    stop_sequence: null,
    stop_details: explanation === undefined ? null : { type: "refusal", category: null, explanation },
    usage: {
      input_tokens: INPUT_TOKENS,
      output_tokens: tokens ?? OUTPUT_TOKENS,
      cache_read_input_tokens: cached?.[0] ?? 0,
      cache_creation_input_tokens: cached?.[1] ?? 0,
      cache_creation: null,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: "standard",
      speed: null,
    },
  };
}

/** The events of a stream, by name and data. */
export function eventsOf(message: Message): readonly { readonly event: string; readonly data: object }[] {
  const begun = { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } };
  const events: (RawMessageStreamEvent | { readonly type: "ping" })[] = [
    { type: "message_start", message: begun },
    ...message.content.flatMap((block, index): (RawMessageStreamEvent | { readonly type: "ping" })[] => [
      { type: "content_block_start", index, content_block: opened(block) },
      ...(index === 0 ? [{ type: "ping" } as const] : []),
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta }) as const),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: {
        container: null,
        stop_reason: message.stop_reason,
        stop_sequence: message.stop_sequence,
        stop_details: message.stop_details,
      },
      usage: {
        output_tokens: message.usage.output_tokens,
        input_tokens: null,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        output_tokens_details: message.usage.output_tokens_details,
        server_tool_use: null,
      },
    },
    { type: "message_stop" },
  ];
  return events.map((data) => ({ event: data.type, data }));
}

/** A block as it is when it begins. */
function opened(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case "text":
      return { ...block, text: "", citations: null };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
    case "server_tool_use":
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: ContentBlock): readonly RawContentBlockDelta[] {
  switch (block.type) {
    case "text":
      return [
        ...(block.citations ?? []).map((citation) => ({ type: "citations_delta", citation }) as const),
        ...pieces(block.text).map((text) => ({ type: "text_delta", text }) as const),
      ];
    case "thinking":
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }) as const),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use":
    case "server_tool_use": {
      const input = JSON.stringify(block.input);
      const said = input === "{}" ? [] : pieces(input);
      return ["", ...said].map((partial_json) => ({ type: "input_json_delta", partial_json }) as const);
    }
    default:
      return [];
  }
}

/** Characters of a piece: tokens are about as long. */
const PIECE = 5;

function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
}
