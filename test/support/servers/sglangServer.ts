// SGLang on loopback: calls that stay in the text, a form that keeps a model from calling, and its errors.
import type { ServerResponse } from "node:http";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { answer, listOf, type Manner, sendJson, TOO_LONG } from "./chatAnswers.ts";
import { FORM, say } from "./weatherModel.ts";

const MANNER: Manner = {
  id: "9c1f0a7e5d",
  callId: "",
  model: "my-model",
  ofChoice: { matched_stop: 151645 },
  ofMessage: { reasoning_content: null, tool_calls: null },
};

/** Whatever model is asked for, the one that it has answers. */
export function sglangServer({ path, body }: UpstreamRequest, response: ServerResponse): void {
  const said = say(body, false);
  const prompt = JSON.stringify(body.messages ?? []);
  if (path === "/v1/models") sendJson(response, 200, listOf("my-model"));
  else if (path !== "/v1/chat/completions") sendJson(response, 404, { detail: "Not Found" });
  else if (prompt.includes(TOO_LONG)) {
    const message = "The input (40960 tokens) is longer than the model's context length (32768 tokens).";
    sendJson(response, 400, { object: "error", message, type: "BadRequestError", param: null, code: 400 });
  } else if (body.response_format && body.tools) {
    // The grammar of the form rules out the tokens of a call: https://github.com/sgl-project/sglang/pull/25777
    answer(response, { body, said: { type: "text", text: FORM }, manner: MANNER });
  } else {
    // It saw the call, gives none, and leaves it in the text: https://github.com/sgl-project/sglang/issues/26790
    const isCall = said.type === "text" && said.text.startsWith("<tool_call>");
    answer(response, { body, said, manner: isCall ? { ...MANNER, finish: "tool_calls" } : MANNER });
  }
}
