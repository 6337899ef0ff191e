// Caches URL and headers of the openai SDK for each kind of request. Sends nothing.
import type OpenAI from "openai";
import { setBounded } from "../../core/async/setBounded.ts";
import type { EgressRequest } from "../../core/ports.ts";
import { resolveWire } from "../wires/registry.ts";
import type { WireServer } from "../wires/UpstreamWire.ts";

export type RequestHead = Pick<EgressRequest, "method" | "url" | "headers">;

type Built = RequestHead | Promise<RequestHead>;

type Server = Pick<WireServer, "wire" | "baseUrl" | "apiKey" | "headers">;

/** Some wires have the model's name in the path, and callers choose it. */
const MOST_PATHS = 256;

/**
 * The heads of one upstream's requests. They are the same for each request, so the SDK is called once
 * ([0051](../../../docs/internals/decisions/0051-what-the-sdk-does.md)).
 */
export class RequestHeadCache {
  readonly #server: Server;
  /** By method and path; a promise until it is built. */
  readonly #built = { get: new Map<string, Built>(), post: new Map<string, Built>() };
  #sdk: Promise<OpenAI> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Rejects with the SDK's own error if the upstream's base URL is invalid. */
  getHead(method: "get" | "post", path: string): Built {
    const known = this.#built[method];
    const before = known.get(path);
    if (before) return before;
    const building = this.#build(method, path);
    setBounded(known, { key: path, value: building, maxSize: MOST_PATHS });
    building.then(
      (head) => known.get(path) === building && known.set(path, head),
      () => undefined,
    );
    return building;
  }

  async #build(method: "get" | "post", path: string): Promise<RequestHead> {
    const headers = this.#headers();
    this.#sdk ??= connect(this.#server.baseUrl, headers);
    const sdk = await this.#sdk;
    const ofBody = method === "post" ? { body: "{}", headers: { "content-type": "application/json" } } : {};
    const { url, req } = await sdk.buildRequest({ method, path, ...ofBody });
    // The SDK's own headers (`user-agent`, `x-stainless-*`, those of OPENAI_CUSTOM_HEADERS) are not sent upstream.
    const headerNames = new Set(["content-type", ...Object.keys(headers)]);
    const kept = [...req.headers].filter(([header]) => headerNames.has(header));
    return Object.freeze({ method: method.toUpperCase(), url, headers: Object.freeze(Object.fromEntries(kept)) });
  }

  /** Lower-case names. */
  #headers(): Readonly<Record<string, string | null>> {
    return {
      accept: "text/event-stream, application/json",
      // Without this header the SDK would send its own key.
      authorization: null,
      ...buildUpstreamHeaders(this.#server),
    };
  }
}

/** Loaded at the first call: the SDK is the largest import of the gateway, and most commands never ask a model. */
async function connect(baseURL: string, defaultHeaders: Readonly<Record<string, string | null>>): Promise<OpenAI> {
  const { default: Client } = await import("openai");
  return new Client({
    baseURL,
    defaultHeaders,
    // Sets every option that the SDK would otherwise read from OPENAI_… variables: they are one vendor's, this is any upstream.
    // The headers contain the upstream's key.
    apiKey: "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
  });
}

/** Lower-case names; the operator's own win. */
export function buildUpstreamHeaders(
  server: Pick<WireServer, "wire" | "apiKey" | "headers">,
): Readonly<Record<string, string>> {
  const configured = Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...resolveWire(server.wire).headers(server), ...Object.fromEntries(configured) };
}
