// Who may come in: keys where they are configured, else only those who call this machine by its own names. Knows no route.
import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestHandler, Response } from "express";
import type { ServerConfig } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** One of three checks; whichever the configuration asks for. */
export function callerGate(server: Omit<ServerConfig, "port" | "maxBodyBytes">): RequestHandler {
  if (server.apiKeyDigests.length > 0) return requireKey(server.apiKeyDigests);
  return server.allowUnauthenticated ? requireNamedOrigin(server.corsOrigins) : requireOwnName(server.host);
}

/** A name for whoever holds the key of this request; absent where no keys are configured. */
export function callerOf(response: Response): string | undefined {
  const caller: unknown = response.locals.caller;
  return typeof caller === "string" ? caller : undefined;
}

function requireKey(hexDigests: readonly string[]): RequestHandler {
  const digests = hexDigests.map((digest) => Buffer.from(digest, "hex"));
  return (request, response, next) => {
    const key = /^Bearer +(\S+)$/i.exec(request.get("authorization") ?? "")?.[1];
    const match = key === undefined ? -1 : matchOf(key, digests);
    if (match >= 0) {
      response.locals.caller = hexDigests[match]?.slice(0, CALLER_CHARS);
      return next();
    }
    const message = key === undefined ? "No API key was sent" : "The API key is not one of this gateway's";
    throw new PostelError(failure("invalid_api_key", `${message}; send \`Authorization: Bearer <key>\`.`));
  };
}

/** Enough of a digest to tell keys apart. */
const CALLER_CHARS = 16;

/** Which digest is the key's, or -1. Compares with every one, so that time does not tell which one came near. */
function matchOf(key: string, digests: readonly Buffer[]): number {
  const digest = createHash("sha256").update(key).digest();
  return digests.map((known) => known.length === digest.length && timingSafeEqual(known, digest)).indexOf(true);
}

/** A web page can point its own name at 127.0.0.1 (DNS rebinding); then the Host header still bears that name. */
function requireOwnName(host: string): RequestHandler {
  const own = host.includes(":") ? `[${host}]` : host.toLowerCase();
  return (request, _response, next) => {
    const called = (request.headers.host ?? "").toLowerCase().replace(/:\d{1,5}$/, "");
    if (LOOPBACK.has(called) || called === own) return next();
    throw new PostelError(
      failure(
        "invalid_request",
        "This gateway has no API keys, so it answers only to localhost and to the configured host. Configure `server.api_keys` to open it to others, or `server.allow_unauthenticated` where something else guards it.",
      ),
    );
  };
}

/** Any name may be called, so a rebound page is known only by its `Origin`, which browsers send and programs do not. */
function requireNamedOrigin(origins: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const origin = request.get("origin");
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return next();
    throw new PostelError(
      failure(
        "invalid_request",
        "This gateway has no API keys, so it answers web pages only of the origins that `server.cors_origins` names.",
      ),
    );
  };
}
