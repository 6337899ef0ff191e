// Maps errors of upstreams to failures of the gateway. Does not decide about retries.
import { createFailure, type Failure, type FailureCode } from "../../core/failures.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import { readRefusal } from "../adaptation/readRefusal.ts";
import { asArray, asObject, asString } from "../looseJson.ts";

export interface Refusal {
  readonly upstream: string;
  readonly model: string;
  /** The HTTP status; for an error inside a 200 stream the one that its fields imply. */
  readonly status: number;
  /** The error body as it came. */
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
  /** The body that was refused. */
  readonly sent: JsonObject;
  readonly redact: Redact;
}

/** Maximum characters of the upstream's text in `message` and in `details.body`. */
const MESSAGE_CHARS = 300;
const BODY_CHARS = 1_000;
/** Characters of a body that are searched for known wordings. */
const SEARCHED_CHARS = 4_096;

/**
 * Maps an upstream's refusal. `details` has `status`, `body` (redacted, short), `retryAfterMs`, `contextTokens`, `refused` (a key of
 * `ADAPTATIONS`) and `toolsRefused`.
 */
export function createUpstreamFailure(refusal: Refusal): Failure {
  const text = extractMessage(refusal.body);
  const failureCode = resolveFailureCode(refusal.status, refusal.body.slice(0, SEARCHED_CHARS));
  const refusedFeature = OF_THE_PROMPT.has(failureCode) ? undefined : detectRefusedFeature(refusal, text);
  const code = refusedFeature === undefined ? failureCode : "upstream_refused";
  const events = shorten(refusal.redact(text), MESSAGE_CHARS);
  const verdict =
    code === "upstream_refused" ? `refused the request (${refusal.status})` : `answered ${refusal.status}`;
  const message = `The upstream \`${refusal.upstream}\` ${verdict} for model \`${refusal.model}\`: ${events || "no explanation"}`;
  return createFailure(code, message, {
    status: refusal.status,
    body: isPage(refusal.body) ? A_PAGE : shorten(refusal.redact(refusal.body), BODY_CHARS),
    ...(refusal.retryAfterMs !== undefined && { retryAfterMs: refusal.retryAfterMs }),
    ...(code === "context_length_exceeded" && extractContextTokens(refusal.body)),
    ...(refusedFeature !== undefined && { refused: refusedFeature }),
    ...(refusedFeature === "tools" && { toolsRefused: true }),
  });
}

/** Failures that concern the content of the prompt, not a field of the request. */
const OF_THE_PROMPT: ReadonlySet<FailureCode> = new Set(["context_length_exceeded", "content_filter"]);

function detectRefusedFeature({ status, body, sent }: Refusal, text: string): string | undefined {
  return readRefusal({ status, text, param: asString(errorObject(body)?.param), sentBody: sent });
}

/** The error that stands inside a chunk of a 200 answer, with the status that it implies; absent if the chunk is none. */
export function extractChunkError(chunk: JsonObject): { readonly status: number; readonly body: string } | undefined {
  // Older vLLM: `{"object": "error", "message": …, "code": 400}` with no `error` around it.
  const error = chunk.error ?? (chunk.object === "error" ? chunk : undefined);
  if (error === undefined || error === null || error === false) return undefined;
  // Anthropic's request id stands next to its error.
  const id = asString(chunk.request_id);
  const body = JSON.stringify({ error, ...(id !== undefined && { request_id: id }) });
  return { status: impliedStatus(asObject(error) ?? {}), body };
}

/**
 * Extracts the model's answer from an error text, where the upstream sends it if its own parser could not read it.
 * llama.cpp: 500 "Failed to parse input at pos 12: <tool_call>…" (ggml-org/llama.cpp#24644); Groq: 400 `tool_use_failed`
 * with the text in `failed_generation`.
 */
export function extractErrorMessage(body: string): string | undefined {
  const error = errorObject(body);
  const generation = error?.failed_generation;
  if (typeof generation === "string") return generation.trim() === "" ? undefined : generation;
  if (generation !== undefined && generation !== null) return JSON.stringify(generation);
  const match = /Failed to parse input at pos \d+: /.exec(asString(error?.message) ?? "");
  const text = match?.input.slice(match.index + match[0].length);
  return text?.trim() ? text : undefined;
}

const STATUS_CODES: ReadonlyMap<number, FailureCode> = new Map([
  [401, "upstream_unauthorized"],
  [403, "upstream_forbidden"],
  [404, "upstream_not_found"],
  [408, "upstream_timeout"],
  [409, "upstream_unavailable"],
  [429, "upstream_rate_limited"],
  [502, "upstream_unavailable"],
  [503, "upstream_overloaded"],
  [504, "upstream_timeout"],
  // Anthropic and several hosts on the same wire: "overloaded".
  [529, "upstream_overloaded"],
]);

/** One wording each: OpenAI and vLLM; llama.cpp; Ollama; Anthropic; Gemini; Groq; SGLang and LM Studio. */
const CONTEXT_LENGTH =
  /context_length_exceeded|maximum context length|exceed_context_size|exceeds the available context|input length exceeds|prompt is too long|exceeds the maximum number of tokens|reduce the length of the messages|context window|(?:longer|greater) than the (?:model.s )?context length/i;
/** Pattern for the size of the context window in the same error text. */
const CONTEXT_TOKENS =
  /(?:context (?:length|size|window)(?: is| of)?|n_ctx"?:|tokens allowed|maximum of|tokens >)\s*\(?\s*(\d{2,9})\b/i;

function extractContextTokens(body: string): JsonObject {
  const events = CONTEXT_TOKENS.exec(body.slice(0, SEARCHED_CHARS))?.[1];
  return events === undefined ? {} : { contextTokens: Number(events) };
}

/**
 * OpenAI, Ollama (`model "x" not found, try pulling it first`), vLLM (`The model x does not exist.`), Anthropic (`model: x`), Google
 * (`models/x is not found`), Azure (`DeploymentNotFound`).
 */
const MODEL_NOT_FOUND =
  /model_not_found|DeploymentNotFound|models?\b.{0,200}?\b(not found|does not exist)|"not_found_error"[^{}]{0,40}"message":\s*"model: /i;

/** Azure (https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter), and OpenAI for images. */
const CONTENT_FILTER = /"code"\s*:\s*"(content_filter|content_policy_violation|ResponsibleAIPolicyViolation)"/;

function resolveFailureCode(status: number, body: string): FailureCode {
  if ([400, 413, 422, 500].includes(status) && CONTEXT_LENGTH.test(body)) return "context_length_exceeded";
  if (status === 400 && CONTENT_FILTER.test(body)) return "content_filter";
  if (status === 404 && MODEL_NOT_FOUND.test(body)) return "model_not_found";
  // LM Studio has a 400 for it.
  if (status === 400 && body.includes('"model_not_found"')) return "model_not_found";
  // Google answers 400 to a key that it does not know.
  if (status === 400 && body.includes("API_KEY_INVALID")) return "upstream_unauthorized";
  if (body.includes("tool_use_failed")) return "model_output_invalid";
  const known = STATUS_CODES.get(status);
  if (known) return known;
  if (status >= 500) return "upstream_error";
  return status >= 400 ? "upstream_refused" : "upstream_protocol_error";
}

/** Texts that in-band errors use for `code`, `type` or `status`, most likely first. */
const IMPLIED: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_?many|quota|resource_exhausted/i, 429],
  [/overloaded|capacity|unavailable/i, 503],
  [/authentication|unauthori[sz]ed|invalid_api_key/i, 401],
  [/permission|forbidden/i, 403],
  [/time_?out|deadline/i, 504],
  [/not_?found/i, 404],
  [/invalid_?request|bad_?request|invalid_argument|context_length|exceed_context|tool_use_failed/i, 400],
];

function impliedStatus(error: JsonObject): number {
  for (const field of ["code", "status", "status_code"]) {
    const status = Number(error[field] ?? Number.NaN);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  const text = ["code", "type", "status"].map((field) => asString(error[field]) ?? "").join(" ");
  return IMPLIED.find(([pattern]) => pattern.test(text))?.[1] ?? 500;
}

/** The upstream's explanation, wherever it put it; a page is only named. */
function extractMessage(body: string): string {
  const outcome = parseJson(body);
  const outer = asObject(asArray(outcome)[0]);
  const error = errorObject(body);
  const events = [error?.message, outer?.error, outer?.message, outer?.detail].find((value) => value);
  const text = typeof events === "string" ? events : body;
  return isPage(text) ? A_PAGE : text;
}

const A_PAGE = "an HTML page";

/** Returns true for a page of a proxy: its markup, scripts and addresses do not explain the error. */
function isPage(text: string): boolean {
  return /<!doctype|<\/?(html|head|body|script|style|title|iframe)\b|^\s*<\?xml/i.test(text.slice(0, SEARCHED_CHARS));
}

/** `{"error": {…}}`, Gemini's `[{"error": {…}}]`, or the bare object. */
function errorObject(body: string): JsonObject | undefined {
  const outer = asObject(asArray(parseJson(body))[0]);
  return asObject(outer?.error) ?? outer;
}

function shorten(text: string, chars: number): string {
  // Control characters of a foreign text have no business in a log line or a header.
  const flat = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return flat.length > chars ? `${flat.slice(0, chars)}…` : flat;
}
