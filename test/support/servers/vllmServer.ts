// vLLM on loopback: what it refuses without its flags, how its errors look, how it streams.
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { answer, listOf, type Manner, sendJson } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

const SERVED = "my-model";

const MANNER: Manner = {
  id: "chatcmpl-0f1e2d3c",
  callId: "chatcmpl-tool-5a6b7c8d",
  model: SERVED,
  ofAnswer: { system_fingerprint: null, prompt_logprobs: null, kv_transfer_params: null },
  ofChoice: { stop_reason: null },
  ofMessage: { reasoning_content: null },
};

/** @param parser whether it was started with `--enable-auto-tool-choice --tool-call-parser`. */
export function vllmServer(parser: boolean): (request: UpstreamRequest, response: ServerResponse) => void {
  return ({ path, body }, response) => {
    const refusal = refusalOf(path, body, parser);
    if (refusal) sendJson(response, refusal.status, refusal.body);
    else if (path === "/v1/models") sendJson(response, 200, listOf(SERVED));
    else answer(response, { body, said: say(body, parser), manner: MANNER });
  };
}

function refusalOf(path: string, body: JsonObject, parser: boolean) {
  // FastAPI's own word for a path that is not there.
  if (path !== "/v1/models" && path !== "/v1/chat/completions") return { status: 404, body: { detail: "Not Found" } };
  if (path === "/v1/models") return undefined;
  if (body.model !== SERVED) {
    const message = `The model \`${String(body.model)}\` does not exist.`;
    return { status: 404, body: { error: { message, type: "NotFoundError", param: "model", code: 404 } } };
  }
  // https://github.com/vllm-project/vllm/issues/9986
  if (!body.tools || body.tool_choice === "none" || parser) return undefined;
  const message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
  return { status: 400, body: { error: { message, type: "BadRequestError", param: null, code: 400 } } };
}
