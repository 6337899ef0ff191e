// Goes where a service sends a request that only reads. Decides nothing about where that may be: the egress refuses other origins.
import type { Egress, EgressRequest, EgressResponse } from "../core/ports.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request, and again to where each answer sends it, `most` times at the most; an answer that leads nowhere, or one more, is
 * the answer. On another origin the request has none of its headers: each may be a credential for the one that it was meant for.
 */
export async function followRedirects(
  egress: Egress,
  first: EgressRequest,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<EgressResponse> {
  let request = first;
  for (let followed = 0; ; followed += 1) {
    const response = await egress.send(request, signal);
    const target = redirectOf(response, request.url);
    if (!target || followed === most) return response;
    await response.body[Symbol.asyncIterator]().return?.();
    request = sentTo(target, request);
  }
}

/** Where an answer sends its request; undefined where it is the answer. */
export function redirectOf({ status, headers: { location } }: EgressResponse, from: string): URL | undefined {
  return REDIRECTS.has(status) && location ? (URL.parse(location, from) ?? undefined) : undefined;
}

function sentTo(target: URL, request: EgressRequest): EgressRequest {
  if (target.origin === new URL(request.url).origin) return { ...request, url: target.href };
  const { accept = "*/*" } = request.headers;
  return { ...request, url: target.href, headers: { accept }, purpose: { ...request.purpose, key: target.origin } };
}
