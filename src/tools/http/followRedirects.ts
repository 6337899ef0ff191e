// Follows redirects of requests that only read: to the same origin, and to origins that the operator allows for the action.
import type { ServiceAction } from "../../core/config/componentActions.ts";
import { mayRedirect } from "../../core/http/redirectOrigins.ts";
import { discardBody } from "../../core/http/responseBody.ts";
import type { Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";
import { StatusError } from "../execution/errorHint.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Redirecting = Pick<ServiceAction, "redirects" | "redirectOrigins">;

/**
 * Sends a request, and again to where each answer sends it, as often as the action's `redirects` allow. An answer that leads nowhere is
 * the answer. One redirect more is a StatusError that names the key to set. An origin that is neither the action's own nor in its `redirect_origins` is an error in words. On another origin the request has none of its headers: each may be a credential for the one that it was meant for.
 */
export async function followRedirects(
  egress: Egress,
  first: EgressRequest,
  { action, signal }: { readonly action: Redirecting; readonly signal: AbortSignal },
): Promise<EgressResponse> {
  const { redirects: maxRedirects = 0, redirectOrigins = [] } = action;
  let request = first;
  for (let followed = 0; ; followed += 1) {
    const response = await egress.send(request, signal);
    const target = resolveRedirect(response, request.url);
    if (!target) return response;
    const isAllowed = mayRedirect(target, new URL(first.url), redirectOrigins);
    if (followed === maxRedirects)
      await refuseUnfollowed(target, response, { maxRedirects, isAllowed, method: first.method });
    if (!isAllowed) await refuse(target, response);
    await discardBody(response);
    request = sentTo(target, request);
  }
}

/** Maximum `redirects` of an action. */
const MOST_REDIRECTS = 5;

interface UnfollowedRedirect {
  /** The action's `redirects`. */
  readonly maxRedirects: number;
  /** True if the target is the action's own origin or in its `redirect_origins`. */
  readonly isAllowed: boolean;
  readonly method: string;
}

async function refuseUnfollowed(
  target: URL,
  response: EgressResponse,
  { maxRedirects, isAllowed, method }: UnfollowedRedirect,
): Promise<never> {
  const { status } = response;
  await discardBody(response);
  const origin = formatOrigin(target);
  const fact = `the service answered with status ${status}, a redirect to ${origin}, which was not followed`;
  if (method !== "GET" && method !== "HEAD")
    throw new StatusError(
      status,
      `${fact}: \`redirects\` is for GET and HEAD only, and this is a ${method}. Whoever runs the gateway can set the action's \`base_url\` and \`path\` to the new address.`,
    );
  const why = maxRedirects === 0 ? "this action has no `redirects`" : `this action's \`redirects\` is ${maxRedirects}`;
  const number = maxRedirects < MOST_REDIRECTS ? `set \`redirects\` of the action to ${maxRedirects + 1} or more` : "";
  const origins = isAllowed ? "" : `add ${origin} to its \`redirect_origins\``;
  const keys = [number, origins].filter((key) => key !== "").join(", and ");
  const help = keys || `set the action's \`base_url\` and \`path\` to the last address, as ${maxRedirects} is the most`;
  throw new StatusError(status, `${fact}: ${why}. Whoever runs the gateway can ${help}.`);
}

/** The origin of an address, or its scheme if it has no origin. */
function formatOrigin({ origin, protocol }: URL): string {
  return (origin === "null" ? protocol : origin).slice(0, 200);
}

async function refuse(target: URL, response: EgressResponse): Promise<never> {
  await discardBody(response);
  throw new Error(
    `${formatOrigin(target)} is no origin of the configuration for a redirect of this action: it is neither the action's own nor in its \`redirect_origins\`, so nothing was sent there. Whoever runs the gateway can add it to \`redirect_origins\`.`,
  );
}

/** Target of a redirect; undefined if the answer is none. */
export function resolveRedirect({ status, headers: { location } }: EgressResponse, from: string): URL | undefined {
  return REDIRECTS.has(status) && location ? (URL.parse(location, from) ?? undefined) : undefined;
}

function sentTo(target: URL, request: EgressRequest): EgressRequest {
  if (target.origin === new URL(request.url).origin) return { ...request, url: target.href };
  const { accept = "*/*" } = request.headers;
  return { ...request, url: target.href, headers: { accept }, purpose: { ...request.purpose, key: target.origin } };
}
