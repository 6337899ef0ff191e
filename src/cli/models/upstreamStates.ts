// Describes the state of upstreams in a line, and sorts the most instructive model first. Contacts nothing.
import type { Failure } from "../../core/failures.ts";
import type { JsonValue } from "../../core/messages.ts";
import type { UpstreamState } from "../../models/Upstream.ts";

/** State of an upstream, such as `http://localhost:11434/v1: refused the connection`. */
export function describeUpstream({ place: location, listed, failure, meant: suggestion }: UpstreamState): string {
  if (failure === undefined) return `${location}: ${answers(listed ?? 0)}`;
  if (suggestion === undefined) return `${location}: ${formatFailure(failure)}`;
  return `${location}: lists no models, but ${suggestion} does: is that the base URL that was meant?`;
}

/** Names in the order of suggestion: the most instructive first. */
export function sortShowcaseFirst(names: readonly string[]): readonly string[] {
  return names.includes(SHOWCASE) ? [SHOWCASE, ...names.filter((name) => name !== SHOWCASE)] : names;
}

/** The recorded model that shows the gateway's purpose best: it writes its call as XML. */
const SHOWCASE = "leaked-xml";

function answers(models: number): string {
  if (models === 0) return "answers, but lists no models";
  return models === 1 ? "answers, 1 model" : `answers, ${models} models`;
}

function formatFailure({ code, message, details }: Failure): string {
  switch (code) {
    case "upstream_unavailable":
      return REASONS.get(details?.reason) ?? message;
    case "upstream_timeout":
      return "did not answer in time";
    case "upstream_unauthorized":
    case "upstream_forbidden":
      return `answers, but refuses the ${details?.status === 403 ? "access" : "key"} (${details?.status}): see \`api_key\` or --upstream-key-env`;
    case "upstream_not_found":
      return "answers, but has no list of models (404); names that are asked for are passed on";
    case "upstream_protocol_error":
      return "answers, but not as an OpenAI-compatible server does";
    default:
      return message;
  }
}

/** Codes of the system's own errors. */
const REASONS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ["ECONNREFUSED", "refused the connection"],
  ["ENOTFOUND", "no such host"],
  ["EAI_AGAIN", "no such host, or no name server"],
  ["ECONNRESET", "broke the connection"],
  ["UND_ERR_SOCKET", "broke the connection"],
  ["EHOSTUNREACH", "cannot be reached"],
  ["ENETUNREACH", "cannot be reached"],
]);
