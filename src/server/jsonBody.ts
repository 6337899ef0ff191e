// Reads a request body as JSON within its limits, or says what is wrong with it. Knows no field.
import express, { type RequestHandler } from "express";
import { failure, PostelError } from "../core/failures.ts";
import { finish, finishInTurns, loopTurn } from "../core/loopTurn.ts";
import { callerOf } from "./callerGate.ts";
import { faultPosition, type JsonBounds } from "./jsonText.ts";
import { KnownTools } from "./KnownTools.ts";
import { type FoundTools, type Looked, lookThrough, parseAround, SLICE_CHARS } from "./knownToolsIn.ts";
import { type BodyLimits, readWithin } from "./receiving.ts";

/**
 * Handlers that leave the parsed value in `request.body`. `maxBytes` counts the body after any decompression. A large body is looked through
 * in slices with a turn of the event loop between them; what `JSON.parse` then does at once is bounded by the keys and values.
 */
export function jsonBody(limits: BodyLimits & { readonly json: JsonBounds }): RequestHandler[] {
  const read = express.raw({ type: () => true, limit: limits.maxBytes });
  return [requireJsonType, readWithin(read, limits), parseBody(limits.json)];
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

function parseBody(bounds: JsonBounds): RequestHandler {
  const known = new KnownTools();
  return async (request, response, next) => {
    const text = textOf(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    const looking = lookThrough(text, bounds, (at) => known.listAt(text, at, callerOf(response)?.name ?? ""));
    const { beyond, counted, tools } = text.length > SLICE_CHARS ? await lookInTurns(looking) : finish(looking);
    refuseBeyond(beyond, bounds);
    const isLarge = text.length > SLICE_CHARS || counted > SLICE_VALUES;
    if (isLarge) await loopTurn();
    request.body = parse(text, tools);
    if (isLarge) await loopTurn();
    next();
  };
}

async function lookInTurns(looking: ReturnType<typeof lookThrough>): Promise<Looked> {
  await loopTurn();
  return await finishInTurns(looking);
}

/** Keys and values that are parsed, and walked by what comes next, in some milliseconds. */
const SLICE_VALUES = 10_000;

/** @throws PostelError `invalid_request` that names the key of the limit. */
function refuseBeyond(beyond: keyof JsonBounds | undefined, bounds: JsonBounds): void {
  if (beyond) throw new PostelError(failure("invalid_request", beyondWords(beyond, bounds), LIMIT_OF[beyond]));
}

const LIMIT_OF = {
  depth: { limit: "json_depth" },
  keys: { limit: "json_keys" },
  values: { limit: "json_values" },
} as const satisfies Record<keyof JsonBounds, { limit: string }>;

function beyondWords(beyond: keyof JsonBounds, bounds: JsonBounds): string {
  const what = {
    depth: `nests deeper than ${bounds.depth} levels`,
    keys: `has more than ${bounds.keys} keys`,
    values: `has more than ${bounds.values} objects, arrays and members of them`,
  };
  return `The JSON body ${what[beyond]} (\`limits.${LIMIT_OF[beyond].limit}\`).`;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** A byte order mark says nothing and goes. A decoder that put U+FFFD for what it cannot read would change the caller's words. */
function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    const message = "The body is not valid UTF-8, so nothing of it was read; send the JSON text encoded as UTF-8.";
    throw new PostelError(failure("invalid_json", message));
  }
}

function parse(text: string, tools: FoundTools | undefined): unknown {
  try {
    return parseAround(text, tools);
  } catch (error) {
    if (text.trim() === "") {
      throw new PostelError(failure("invalid_json", "The request has no body; send a JSON object."));
    }
    const message = error instanceof Error ? error.message : "";
    throw new PostelError(
      failure("invalid_json", `The body is not valid JSON: the fault is at ${faultPosition(text, message)}.`),
    );
  }
}
