// A `fetch` function for the MCP library over the gateway's egress. Follows no redirects, repeats nothing, and limits
// buffered bytes.
import { createFailure, PostelError } from "../../core/failures.ts";
import { discardBody } from "../../core/http/responseBody.ts";
import type { Egress, EgressResponse } from "../../core/ports.ts";

export interface FetchOptions {
  readonly egress: Egress;
  /** The component's id. */
  readonly server: string;
  /** Milliseconds until the first byte of an answer must be there. */
  readonly headersMs: number;
  /** Bytes of an answer, and of each event of a stream of them. */
  readonly most: number;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Rejects as `Egress.send` does. */
export function createEgressFetch({ egress, server, headersMs, most }: FetchOptions): Fetch {
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const address = new URL(url);
    const response = await egress.send(
      {
        method,
        url: address.href,
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === "string" && { body }),
        purpose: {
          kind: "mcp",
          key: address.origin,
          run: server,
          // Only the server knows if a repeated request has a second effect.
          repeatable: false,
          // A notification stream sends no headers until the first notification.
          timers: { headersMs: method === "GET" ? 0 : headersMs },
        },
      },
      signal ?? new AbortController().signal,
    );
    return new Response(toBodyStream(response, { server, most }), {
      status: response.status,
      headers: { ...response.headers },
    });
  };
}

/** Statuses that have no body (Fetch, 2.2.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function toBodyStream(
  response: EgressResponse,
  bound: Pick<FetchOptions, "server" | "most">,
): ReadableStream<Uint8Array> | null {
  const { status, headers, body } = response;
  if (!BODILESS.has(status)) return ReadableStream.from(bounded(body, bound, isStream(headers)));
  void discardBody(response);
  return null;
}

function isStream(headers: EgressResponse["headers"]): boolean {
  return /^\s*text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

/** Terminators of a stream event. */
const BLANK_LINES = ["\n\n", "\r\n\r\n", "\r\r"];

/** @param isStream true if data before the last blank line was consumed. */
async function* bounded(
  body: AsyncIterable<Uint8Array>,
  { server, most }: Pick<FetchOptions, "server" | "most">,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  let held = 0;
  for await (const piece of body) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const ends = isStream ? BLANK_LINES.map((line) => bytes.lastIndexOf(line)) : [];
    const end = ends.reduce((last, at) => Math.max(last, at), -1);
    held = end < 0 ? held + bytes.length : bytes.length - end;
    if (held > most) {
      const message = `The server \`${server}\` sent a message of more than ${most} bytes, which is not read on.`;
      throw new PostelError(createFailure("upstream_answer_too_large", message));
    }
    yield piece;
  }
}
