// Answers of the chat wire as most servers of it give them; what one of them does otherwise stands in its own file.
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/core/messages.ts";
import { type Said, TOOL } from "./weatherModel.ts";

/** How a server's answers differ from the usual. */
export interface Manner {
  readonly id: string;
  readonly callId: string;
  readonly model: string;
  /** Members of each chunk and of a whole answer. */
  readonly ofAnswer?: JsonObject;
  /** Members of the last chunk and of a whole answer. */
  readonly ofEnd?: JsonObject;
  /** Members of each choice. */
  readonly ofChoice?: JsonObject;
  /** Members of the message, and of the first delta. */
  readonly ofMessage?: JsonObject;
  /** Members of each delta. */
  readonly ofDelta?: JsonObject;
  /** True for servers that send a call in one piece. */
  readonly wholeCalls?: boolean;
  /** The finish reason, where it is not the one that follows from what was said. */
  readonly finish?: string;
}

interface Answering {
  /** The request's. */
  readonly body: JsonObject;
  readonly said: Said;
  readonly manner: Manner;
}

/** A prompt that holds it is longer than the model's context. */
export const TOO_LONG = "a-very-long-prompt";

const USAGE = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };

/** A whole answer or a stream, as the request asks. */
export function answer(response: ServerResponse, { body, said, manner }: Answering): void {
  if (body.stream === true) sendEvents(response, chunks(said, manner, body));
  else sendJson(response, 200, document(said, manner));
}

export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function listOf(...ids: readonly string[]): JsonObject {
  return { object: "list", data: ids.map((id) => ({ id, object: "model", created: 1, owned_by: "library" })) };
}

export function sendEvents(response: ServerResponse, sent: readonly (JsonObject | string)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const one of sent) response.write(typeof one === "string" ? one : event(one));
  response.end("data: [DONE]\n\n");
}

export function event(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function document(said: Said, manner: Manner): JsonObject {
  const { id, callId, model, ofAnswer, ofEnd, ofChoice, ofMessage } = manner;
  const isCall = said.type === "call";
  const call = isCall && { id: callId, type: "function", function: { name: TOOL, arguments: said.arguments } };
  const message = {
    ...ofMessage,
    role: "assistant",
    content: isCall ? null : said.text,
    ...(call && { tool_calls: [call] }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(said, manner), ...ofChoice }];
  return { id, object: "chat.completion", created: 1, model, choices, usage: USAGE, ...ofAnswer, ...ofEnd };
}

function finishOf(said: Said, { finish }: Manner): string {
  return finish ?? (said.type === "call" ? "tool_calls" : "stop");
}

export function chunks(said: Said, manner: Manner, body: JsonObject): readonly JsonObject[] {
  const options = body.stream_options as { readonly include_usage?: boolean } | undefined;
  const first = chunk({ role: "assistant", content: "", ...manner.ofMessage }, manner);
  const last = { ...chunk({}, manner, finishOf(said, manner)), ...manner.ofEnd };
  const usage = { ...frame(manner), choices: [], usage: USAGE };
  const between = deltas(said, manner).map((delta) => chunk(delta, manner));
  return [first, ...between, last, ...(options?.include_usage ? [usage] : [])];
}

function deltas(said: Said, { callId, wholeCalls }: Manner): readonly JsonObject[] {
  if (said.type === "text") return (said.text.match(/\s*\S+/g) ?? []).map((content) => ({ content }));
  const call = (fields: JsonObject, own: JsonObject = {}) => ({ tool_calls: [{ index: 0, ...own, function: fields }] });
  const own = { id: callId, type: "function" };
  const all = said.arguments;
  if (wholeCalls) return [call({ name: TOOL, arguments: all }, own)];
  return [
    call({ name: TOOL, arguments: "" }, own),
    call({ arguments: all.slice(0, 7) }),
    call({ arguments: all.slice(7) }),
  ];
}

export function chunk(delta: JsonObject, manner: Manner, finish: string | null = null): JsonObject {
  const choices = [
    { index: 0, delta: { ...manner.ofDelta, ...delta }, logprobs: null, finish_reason: finish, ...manner.ofChoice },
  ];
  return { ...frame(manner), choices };
}

function frame({ id, model, ofAnswer }: Manner): JsonObject {
  return { id, object: "chat.completion.chunk", created: 1, model, ...ofAnswer };
}
