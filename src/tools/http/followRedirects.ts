// Goes where a service sends a request that only reads: to its own origin, and to those that the operator wrote for the action.
import type { ServiceAction } from "../../core/config/componentActions.ts";
import { mayRedirect } from "../../core/http/redirectOrigins.ts";
import type { Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Redirecting = Pick<ServiceAction, "redirects" | "redirectOrigins">;

/**
 * Sends a request, and again to where each answer sends it, `most` times at the most; an answer that leads nowhere, or one more, is
 * the answer. An origin that is neither the action's own nor in its `redirect_origins` is an error in words. On another origin the request has none of its headers: each may be a credential for the one that it was meant for.
 */
export async function followRedirects(
  egress: Egress,
  first: EgressRequest,
  { action, signal }: { readonly action: Redirecting; readonly signal: AbortSignal },
): Promise<EgressResponse> {
  const { redirects: most = 0, redirectOrigins = [] } = action;
  let request = first;
  for (let followed = 0; ; followed += 1) {
    const response = await egress.send(request, signal);
    const target = resolveRedirect(response, request.url);
    if (!target || followed === most) return response;
    if (!mayRedirect(target, new URL(first.url), redirectOrigins)) await refuse(target, response);
    await response.body[Symbol.asyncIterator]().return?.();
    request = sentTo(target, request);
  }
}

async function refuse(target: URL, response: EgressResponse): Promise<never> {
  await response.body[Symbol.asyncIterator]().return?.();
  const where = target.origin === "null" ? target.protocol : target.origin;
  throw new Error(
    `${where.slice(0, 200)} is no origin of the configuration for a redirect of this action: it is neither the action's own nor in its \`redirect_origins\`, so nothing was sent there. Whoever runs the gateway can add it to \`redirect_origins\`.`,
  );
}

/** Where an answer sends its request; undefined where it is the answer. */
export function resolveRedirect({ status, headers: { location } }: EgressResponse, from: string): URL | undefined {
  return REDIRECTS.has(status) && location ? (URL.parse(location, from) ?? undefined) : undefined;
}

function sentTo(target: URL, request: EgressRequest): EgressRequest {
  if (target.origin === new URL(request.url).origin) return { ...request, url: target.href };
  const { accept = "*/*" } = request.headers;
  return { ...request, url: target.href, headers: { accept }, purpose: { ...request.purpose, key: target.origin } };
}
