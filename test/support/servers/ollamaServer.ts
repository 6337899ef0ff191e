// Ollama on loopback: calls in one piece, what it says of its models, and its errors.
import type { ServerResponse } from "node:http";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { answer, listOf, type Manner, sendJson } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

/** A model that it knows to take no tools. */
export const WITHOUT_TOOLS = "gemma:2b";
const MODELS = ["my-model", WITHOUT_TOOLS];

/** One chunk a call: https://github.com/ollama/ollama/issues/11633. Every delta has its role. */
const MANNER: Manner = {
  id: "chatcmpl-934",
  callId: "call_x8k2p1qz",
  model: "my-model",
  ofAnswer: { system_fingerprint: "fp_ollama" },
  ofDelta: { role: "assistant" },
  wholeCalls: true,
};

export function ollamaServer({ path, body }: UpstreamRequest, response: ServerResponse): void {
  const model = String(body.model);
  if (path === "/v1/models") sendJson(response, 200, listOf(...MODELS));
  else if (path !== "/v1/chat/completions" && path !== "/api/show") response.writeHead(404).end("404 page not found");
  else if (!MODELS.includes(model)) sendJson(response, 404, notFound(path, model));
  else if (path === "/api/show") {
    // https://github.com/ollama/ollama/blob/main/docs/api.md#show-model-information
    const capabilities = model === WITHOUT_TOOLS ? ["completion"] : ["completion", "tools"];
    sendJson(response, 200, { details: { family: "x" }, model_info: {}, capabilities });
  } else if (body.tools && model === WITHOUT_TOOLS) {
    const message = `registry.ollama.ai/library/${model} does not support tools`;
    sendJson(response, 400, { error: { message, type: "api_error", param: null, code: null } });
  } else answer(response, { body, said: say(body, true), manner: MANNER });
}

function notFound(path: string, model: string) {
  if (path === "/api/show") return { error: `model '${model}' not found` };
  const message = `model "${model}" not found, try pulling it first`;
  return { error: { message, type: "not_found_error", param: null, code: null } };
}
