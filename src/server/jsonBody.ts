// Reads a request body as JSON within its limits, or says what is wrong with it. Knows no field.
import express, { type RequestHandler } from "express";
import { failure, PostelError } from "../core/failures.ts";
import { faultPosition, nestsDeeperThan } from "./jsonText.ts";

/** Handlers that leave the parsed value in `request.body`. `maxBytes` counts the body after any decompression. */
export function jsonBody(limits: { readonly maxBytes: number; readonly depth: number }): RequestHandler[] {
  return [requireJsonType, express.raw({ type: () => true, limit: limits.maxBytes }), parseBody(limits.depth)];
}

const requireJsonType: RequestHandler = (request, _response, next) => {
  const type = request.headers["content-type"] ?? "";
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  if (/^application\/json\s*(;|$)/i.test(type) && charset === "utf-8") return next();
  const got = type === "" ? "no content type" : `\`${type.slice(0, 100)}\``;
  throw new PostelError(
    failure(
      "unsupported_media_type",
      `The body must be sent as \`content-type: application/json\` in UTF-8; the request says ${got}.`,
    ),
  );
};

function parseBody(depth: number): RequestHandler {
  return (request, _response, next) => {
    const text = Buffer.isBuffer(request.body) ? textOf(request.body) : "";
    if (text.trim() === "") {
      throw new PostelError(failure("invalid_json", "The request has no body; send a JSON object."));
    }
    if (nestsDeeperThan(text, depth)) {
      throw new PostelError(failure("invalid_request", `The JSON body nests deeper than ${depth} levels.`));
    }
    request.body = parse(text);
    next();
  };
}

/** A byte order mark says nothing and goes. A decoder that put U+FFFD for what it cannot read would change the caller's words. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const message = "The body is not valid UTF-8, so nothing of it was read; send the JSON text encoded as UTF-8.";
    throw new PostelError(failure("invalid_json", message));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw new PostelError(
      failure("invalid_json", `The body is not valid JSON: the fault is at ${faultPosition(text, message)}.`),
    );
  }
}
