// LM Studio's server on loopback: errors as a bare text, 200 for what is not there, and what it takes of two fields.
import type { ServerResponse } from "node:http";
import { isObject, type JsonObject } from "../../../src/core/messages.ts";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { answer, listOf, type Manner, sendJson } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

const MANNER: Manner = {
  id: "chatcmpl-t8tsxqx7kwi9ekj70xwwl",
  callId: "365174485",
  model: "my-model",
  ofAnswer: { system_fingerprint: "my-model" },
  ofDelta: { role: "assistant" },
};

export function lmStudioServer({ method, path, body }: UpstreamRequest, response: ServerResponse): void {
  const refusal = refusalOf(body);
  if (path === "/v1/models") sendJson(response, 200, listOf("my-model", "other-model"));
  else if (path !== "/v1/chat/completions") {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618
    sendJson(response, 200, { error: `Unexpected endpoint or method. (${method} ${path})` });
  } else if (refusal) sendJson(response, 400, { error: refusal });
  else answer(response, { body, said: say(body, true), manner: MANNER });
}

function refusalOf({ model, tool_choice, response_format }: JsonObject): string | JsonObject | undefined {
  if (model !== "my-model") {
    // https://github.com/assafelovic/gpt-researcher/issues/1556
    const message = `Invalid model identifier "${String(model)}". Please specify a valid downloaded model (e.g., my-model, other-model).`;
    return { message, type: "invalid_request_error", param: "model", code: "model_not_found" };
  }
  // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670
  if (isObject(tool_choice)) return "Invalid tool_choice type: 'object'. Supported string values: none, auto, required";
  // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189
  if (isObject(response_format) && response_format.type === "json_object")
    return "'response_format.type' must be 'json_schema' or 'text'";
  return undefined;
}
