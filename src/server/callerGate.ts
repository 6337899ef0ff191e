// Who may come in, and who that is: keys where they are configured, else only those who call this machine by its own names. Knows no route.
import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestHandler, Response } from "express";
import type { ApiKey, ServerConfig } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import { type Caller, LOCAL_CALLER } from "../core/requests.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** One of three checks; whichever the configuration asks for. */
export function callerGate(server: Omit<ServerConfig, "port" | "maxBodyBytes">): RequestHandler {
  if (server.apiKeys.length > 0) return requireKey(server.apiKeys);
  return server.allowUnauthenticated ? requireNamedOrigin(server.corsOrigins) : requireOwnName(server.host);
}

/** Absent until the gate has let the request in. */
export function callerOf(response: Response): Caller | undefined {
  return response.locals.caller as Caller | undefined;
}

function letIn(response: Response, caller: Caller): void {
  response.locals.caller = caller;
}

interface KnownKey {
  readonly caller: Caller;
  readonly digest: Buffer;
}

function requireKey(apiKeys: readonly ApiKey[]): RequestHandler {
  const known = apiKeys.map(({ name, can, digest }) => ({ caller: { name, can }, digest: Buffer.from(digest, "hex") }));
  return (request, response, next) => {
    const key = /^Bearer +(\S+)$/i.exec(request.get("authorization") ?? "")?.[1];
    const caller = key === undefined ? undefined : holderOf(key, known);
    if (caller) {
      letIn(response, caller);
      return next();
    }
    const message = key === undefined ? "No API key was sent" : "The API key is not one of this gateway's";
    throw new PostelError(failure("invalid_api_key", `${message}; send \`Authorization: Bearer <key>\`.`));
  };
}

/** Compares with every key, so that time does not tell which one came near. */
function holderOf(key: string, known: readonly KnownKey[]): Caller | undefined {
  const given = createHash("sha256").update(key).digest();
  const matches = known.map(({ digest }) => digest.length === given.length && timingSafeEqual(digest, given));
  return known[matches.indexOf(true)]?.caller;
}

/** A web page can point its own name at 127.0.0.1 (DNS rebinding); then the Host header still bears that name. */
function requireOwnName(host: string): RequestHandler {
  const own = host.includes(":") ? `[${host}]` : host.toLowerCase();
  return (request, response, next) => {
    const called = (request.headers.host ?? "").toLowerCase().replace(/:\d{1,5}$/, "");
    if (LOOPBACK.has(called) || called === own) {
      letIn(response, LOCAL_CALLER);
      return next();
    }
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
  return (request, response, next) => {
    const origin = request.get("origin");
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) {
      letIn(response, LOCAL_CALLER);
      return next();
    }
    throw new PostelError(
      failure(
        "invalid_request",
        "This gateway has no API keys, so it answers web pages only of the origins that `server.cors_origins` names.",
      ),
    );
  };
}
