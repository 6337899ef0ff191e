// llama.cpp's server on loopback, with a model whose template has no tools: what it says of itself, and its errors.
import type { ServerResponse } from "node:http";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { answer, listOf, type Manner, sendJson, TOO_LONG } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

const MANNER: Manner = {
  id: "chatcmpl-kQ3vX9",
  callId: "yT6bN2mR8sW4",
  model: "my-model.gguf",
  ofAnswer: { system_fingerprint: "b6910-1a2b3c4d" },
  // Its first delta has no text to say.
  ofMessage: { content: null },
  ofEnd: { timings: { prompt_n: 200, predicted_n: 20 } },
};

/** Of https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
const PROPS = {
  default_generation_settings: { n_ctx: 8192 },
  total_slots: 1,
  chat_template: "{{ messages }}",
  chat_template_caps: { supports_system_role: true, supports_tool_calls: false, supports_tools: false },
};

/** https://github.com/ggml-org/llama.cpp/pull/15780 */
const EXCEEDED = {
  code: 400,
  message: "the request exceeds the available context size. try increasing the context size or enable context shift",
  type: "exceed_context_size_error",
  n_prompt_tokens: 14_429,
  n_ctx: 8_192,
};

/** Whatever model is asked for, the one that it has answers. Tools are dropped: https://github.com/ggml-org/llama.cpp/issues/27129 */
export function llamaCppServer({ path, body }: UpstreamRequest, response: ServerResponse): void {
  const place = path.split("?")[0];
  const { tools: _, ...seen } = body;
  if (place === "/props") sendJson(response, 200, PROPS);
  else if (place === "/v1/models") sendJson(response, 200, { models: [], ...listOf("my-model.gguf") });
  else if (place !== "/v1/chat/completions")
    sendJson(response, 404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } });
  else if (JSON.stringify(body.messages).includes(TOO_LONG)) sendJson(response, 400, { error: EXCEEDED });
  else answer(response, { body, said: say(seen, false), manner: MANNER });
}
