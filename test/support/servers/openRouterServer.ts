// OpenRouter on loopback: comments in its streams, thoughts in two fields, and errors inside answers that began well.
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { chunk, chunks, document, event, listOf, type Manner, sendEvents, sendJson } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

export const OPENROUTER_KEY = "sk-or-v1-0123456789abcdef";
export const THOUGHT = "Paris is asked about.";
/** A model whose host breaks off. */
export const BREAKING = "host/breaking";
const MODELS = ["my-model", BREAKING];

const MANNER: Manner = {
  id: "gen-1763800000-AbCdEf",
  callId: "call_or_1",
  model: "my-model",
  ofAnswer: { provider: "DeepInfra" },
  ofChoice: { native_finish_reason: null },
  ofMessage: {
    refusal: null,
    reasoning: THOUGHT,
    reasoning_details: [{ type: "reasoning.text", text: THOUGHT, format: "unknown", index: 0 }],
  },
};

/** https://openrouter.ai/docs/api/reference/streaming */
const COMMENT = ": OPENROUTER PROCESSING\n\n";
/** https://openrouter.ai/docs/api/reference/errors-and-debugging */
const BROKE_OFF = {
  code: 502,
  message: "Provider disconnected unexpectedly",
  metadata: { provider_name: "DeepInfra" },
};

export function openRouterServer({ path, headers, body }: UpstreamRequest, response: ServerResponse): void {
  const model = String(body.model);
  if (headers.authorization !== `Bearer ${OPENROUTER_KEY}`)
    sendJson(response, 401, { error: { message: "No auth credentials found", code: 401 } });
  else if (path === "/api/v1/models") sendJson(response, 200, listOf(...MODELS));
  else if (path !== "/api/v1/chat/completions")
    response.writeHead(404, { "content-type": "text/html" }).end("<!DOCTYPE html>");
  else if (!MODELS.includes(model))
    sendJson(response, 400, { error: { message: `${model} is not a valid model ID`, code: 400 }, user_id: "user_1" });
  else if (body.stream === true) sendEvents(response, streamOf(body, model === BREAKING));
  else sendJson(response, 200, model === BREAKING ? { error: BROKE_OFF } : document(say(body, true), MANNER));
}

function streamOf(body: JsonObject, breaks: boolean): readonly (JsonObject | string)[] {
  if (!breaks) return [COMMENT, COMMENT, ...chunks(say(body, true), MANNER, body)];
  const broken = { ...chunk({ content: "" }, { ...MANNER, ofMessage: {} }, "error"), error: BROKE_OFF };
  return [COMMENT, event(broken)];
}
