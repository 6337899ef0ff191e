// Converts a failure to the OpenAI error body.
import type { Blame, Failure } from "../../../core/failures.ts";
import type { JsonObject } from "../../../core/messages.ts";
import type { PartialAnswer } from "../FrontApi.ts";

/** The `type` of an OpenAI error, by the party at fault. */
const TYPES: Readonly<Record<Blame, string>> = {
  caller: "invalid_request_error",
  model: "model_error",
  upstream: "upstream_error",
  tool: "tool_error",
  operator: "server_error",
};

export function buildErrorBody(failure: Failure, partial?: PartialAnswer): JsonObject {
  const { code, message, details } = failure;
  const param = details?.param;
  // The code comes first, so that a truncated error still shows it.
  const error = {
    code,
    message,
    type: code === "upstream_rate_limited" ? "rate_limit_error" : TYPES[failure.fault],
    param: typeof param === "string" ? param : null,
    ...(failure.fault === "model" && details && { details }),
    ...(details?.interrupts !== undefined && { interrupts: details.interrupts }),
    ...(partial && { partial: partialJson(partial) }),
  };
  return { error };
}

/** Maximum UTF-16 units of a partial answer that its error repeats: some 16,000 tokens. */
const PARTIAL_CHARS = 65_536;

function partialJson({ content, runId }: PartialAnswer): JsonObject {
  // Does not split a surrogate pair.
  const storedNote =
    content.length > PARTIAL_CHARS ? content.slice(0, PARTIAL_CHARS).replace(/[\uD800-\uDBFF]$/, "") : content;
  const omitted = content.length - storedNote.length;
  return {
    content: storedNote,
    ...(omitted > 0 && { content_omitted: omitted }),
    ...(runId !== undefined && { run_id: runId }),
  };
}
