// Authenticates requests: by key if keys are configured, else by the local names of this machine.
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ApiKey, ServerConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { type Caller, LOCAL_CALLER } from "../../core/requests.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns the caller for the headers of a request. @throws PostelError if the request is not authenticated. */
export type CallerGate = (headers: IncomingHttpHeaders) => Caller;

/** Creates the check that the configuration asks for. */
export function createAuthenticator(server: Omit<ServerConfig, "port" | "maxBodyBytes">): CallerGate {
  if (server.apiKeys.length > 0) return requireKey(server.apiKeys);
  return server.allowUnauthenticated ? requireNamedOrigin(server.corsOrigins) : requireOwnName(server.host);
}

interface KnownKey {
  readonly caller: Caller;
  readonly digest: Buffer;
}

function requireKey(apiKeys: readonly ApiKey[]): CallerGate {
  const known = apiKeys.map(({ name, can, digest }) => ({ caller: { name, can }, digest: Buffer.from(digest, "hex") }));
  return (headers) => {
    const key = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    const caller = key === undefined ? undefined : findCaller(key, known);
    if (caller) return caller;
    const message = key === undefined ? "No API key was sent" : "The API key is not one of this gateway's";
    throw new PostelError(createFailure("invalid_api_key", `${message}; send \`Authorization: Bearer <key>\`.`));
  };
}

/** Compares with every key, so that the timing does not reveal a near match. */
function findCaller(key: string, known: readonly KnownKey[]): Caller | undefined {
  const headerId = hash("sha256", key, "buffer");
  const matches = known.map(({ digest }) => digest.length === headerId.length && timingSafeEqual(digest, headerId));
  return known[matches.indexOf(true)]?.caller;
}

/** A web page can point its own name at 127.0.0.1 (DNS rebinding); then the Host header still bears that name. */
function requireOwnName(host: string): CallerGate {
  const formattedHost = host.includes(":") ? `[${host}]` : host.toLowerCase();
  let allowedHost: string | undefined;
  return ({ host = "" }) => {
    if (host === allowedHost) return LOCAL_CALLER;
    const called = host.toLowerCase().replace(/:\d{1,5}$/, "");
    if (LOOPBACK.has(called) || called === formattedHost) {
      allowedHost = host;
      return LOCAL_CALLER;
    }
    throw new PostelError(
      createFailure(
        "invalid_request",
        "This gateway has no API keys, so it answers only to localhost and to the configured host. Configure `server.api_keys` to open it to others, or `server.allow_unauthenticated` where something else guards it.",
      ),
    );
  };
}

/**
 * Any host name is allowed, so a DNS-rebound page is recognized only by its `Origin`, which browsers send and programs do
 * not.
 */
function requireNamedOrigin(origins: readonly string[]): CallerGate {
  return (headers) => {
    const { origin } = headers;
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return LOCAL_CALLER;
    throw new PostelError(
      createFailure(
        "invalid_request",
        "This gateway has no API keys, so it answers web pages only of the origins that `server.cors_origins` names.",
      ),
    );
  };
}
