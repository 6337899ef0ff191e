// Azure OpenAI on loopback, both of its APIs: addresses, key, and what its content filter adds and refuses.
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { UpstreamRequest } from "../FakeUpstream.ts";
import { chunk, chunks, document, listOf, type Manner, sendEvents, sendJson } from "./chatAnswers.ts";
import { say } from "./weatherModel.ts";

export const AZURE_KEY = "azure-key-0123456789abcdef";
export const DEPLOYMENT = "weather-prod";
export const API_VERSION = "2024-10-21";
/** A prompt that holds this word is refused; an answer to the other one is cut. */
export const FILTERED_PROMPT = "forbidden-question";
export const FILTERED_ANSWER = "forbidden-answer";

/** https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter */
const SAFE: JsonObject = {
  hate: { filtered: false, severity: "safe" },
  violence: { filtered: false, severity: "safe" },
};
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];

/** The model's own name, not the deployment's, as Azure answers. */
const MANNER: Manner = {
  id: "chatcmpl-AbC",
  callId: "call_7jY2cQ",
  model: "gpt-4o-2024-08-06",
  ofAnswer: { system_fingerprint: "fp_1" },
  ofChoice: { content_filter_results: SAFE },
};

/** With the dated API under `/v1/openai` and the newer one under `/v1/openai/v1`. */
export function azureServer(request: UpstreamRequest, response: ServerResponse): void {
  const asked = addressed(request);
  if ("error" in asked) sendJson(response, asked.status, { error: asked.error });
  else if (asked.operation === "models") sendJson(response, 200, listOf("gpt-4o-2024-08-06", "o3-2025-04-16"));
  else if (asked.operation === "embeddings") sendJson(response, 200, EMBEDDINGS);
  else complete(response, request.body);
}

type Addressed = { readonly operation: string } | { readonly status: number; readonly error: JsonObject };

function addressed({ headers, path, body }: UpstreamRequest): Addressed {
  const url = new URL(path, "http://azure.test");
  const dated = /^\/v1\/openai\/deployments\/([^/]+)\/(chat\/completions|embeddings)$/.exec(url.pathname);
  const newer = /^\/v1\/openai\/v1\/(chat\/completions|embeddings|models)$/.exec(url.pathname);
  // The newer API also takes the key as OpenAI's does.
  const key = headers["api-key"] ?? (newer && headers.authorization?.replace(/^Bearer /, ""));
  if (key !== AZURE_KEY) return { status: 401, error: KEY_REFUSED };
  const operation = dated?.[2] ?? newer?.[1];
  // Without a version the dated API is not there at all.
  const isThere = newer || url.searchParams.get("api-version") === API_VERSION;
  if (operation === undefined || !isThere) return { status: 404, error: NOTHING_THERE };
  const deployment = dated ? decodeURIComponent(dated[1] ?? "") : body.model;
  if (operation !== "models" && deployment !== DEPLOYMENT) return { status: 404, error: NO_DEPLOYMENT };
  return { operation };
}

function complete(response: ServerResponse, body: JsonObject): void {
  const prompt = JSON.stringify(body.messages);
  const said = say(body, true);
  if (prompt.includes(FILTERED_PROMPT)) sendJson(response, 400, { error: FILTERED });
  else if (body.stream === true) sendEvents(response, [FIRST, ...chunksOf(prompt, body), RESULTS]);
  else sendJson(response, 200, { ...document(said, MANNER), prompt_filter_results: PROMPT_RESULTS });
}

function chunksOf(prompt: string, body: JsonObject): readonly JsonObject[] {
  if (!prompt.includes(FILTERED_ANSWER)) return chunks(say(body, true), MANNER, body);
  return [chunk({ role: "assistant", content: "It is" }, MANNER), chunk({}, MANNER, "content_filter")];
}

const BLANK = { id: "", object: "", created: 0, model: "" };
const FIRST: JsonObject = { ...BLANK, choices: [], prompt_filter_results: PROMPT_RESULTS };
/** The asynchronous filter sends its results by themselves, in a choice without a delta. */
const RESULTS: JsonObject = {
  ...BLANK,
  choices: [
    {
      index: 0,
      finish_reason: null,
      content_filter_results: SAFE,
      content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
    },
  ],
};
const EMBEDDINGS: JsonObject = {
  object: "list",
  data: [{ object: "embedding", embedding: [0.5], index: 0 }],
  model: "e",
};

const KEY_REFUSED = {
  code: "401",
  message:
    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
};
const NOTHING_THERE = { code: "404", message: "Resource not found" };
const NO_DEPLOYMENT = {
  code: "DeploymentNotFound",
  message:
    "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
};
/** As https://github.com/openai/openai-dotnet/issues/55 shows it. */
const FILTERED = {
  message:
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
  type: null,
  param: "prompt",
  code: "content_filter",
  status: 400,
  innererror: {
    code: "ResponsibleAIPolicyViolation",
    content_filter_result: { violence: { filtered: true, severity: "medium" } },
  },
};
