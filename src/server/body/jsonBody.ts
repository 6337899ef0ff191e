// Parses the bytes of a body as JSON within its limits, or throws a failure that says what is wrong.

import { runCooperatively, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import {
  checkLimits,
  type FoundTools,
  parseWithCachedTools,
  SLICE_CHARS,
  SLICE_VALUES,
} from "../fastpath/parseWithToolCache.ts";
import type { ToolListCache } from "../fastpath/ToolListCache.ts";
import { findErrorPosition, type JsonBounds } from "./jsonLimits.ts";

/** @param type the `content-type` of the request. @throws PostelError `unsupported_media_type` if it is not JSON in UTF-8. */
export function requireJsonType(type = ""): void {
  if (type === "application/json") return;
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  if (/^application\/json\s*(;|$)/i.test(type) && charset === "utf-8") return;
  const got = type === "" ? "no content type" : `\`${type.slice(0, 100)}\``;
  throw new PostelError(
    createFailure(
      "unsupported_media_type",
      `The body must be sent as \`content-type: application/json\` in UTF-8; the request says ${got}.`,
    ),
  );
}

/**
 * Parses the bytes of a caller's body. A large body is checked in slices that yield to the event loop. The limits on keys and
 * values bound the final `JSON.parse`, which is synchronous.
 */
export type ParseBody = (bytes: Buffer, caller: string) => Promise<unknown>;

/** @param known cache of the lists of tools that clients send again (fast path); absent: each list is parsed. */
export function createJsonBodyParser(bounds: JsonBounds, known?: ToolListCache): ParseBody {
  return async (bytes, caller) => {
    const text = decodeText(bytes);
    const listAt = (at: number) => known?.findList(text, at, caller);
    if (text.length > SLICE_CHARS) await yieldToEventLoop();
    const { beyond, count, tools } = await runCooperatively(checkLimits(text, bounds, listAt));
    refuseOverLimit(beyond, bounds);
    const isLarge = text.length > SLICE_CHARS || count > SLICE_VALUES;
    if (isLarge) await yieldToEventLoop();
    const value = parse(text, tools);
    if (isLarge) await yieldToEventLoop();
    return value;
  };
}

/** @throws PostelError `invalid_request` that names the key of the limit. */
function refuseOverLimit(beyond: keyof JsonBounds | undefined, bounds: JsonBounds): void {
  if (beyond) throw new PostelError(createFailure("invalid_request", beyondWords(beyond, bounds), LIMIT_OF[beyond]));
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

/**
 * A byte order mark has no meaning and is dropped. A lenient decoder would replace invalid bytes with U+FFFD and so change
 * the client's text.
 */
function decodeText(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    const message = "The body is not valid UTF-8, so nothing of it was read; send the JSON text encoded as UTF-8.";
    throw new PostelError(createFailure("invalid_json", message));
  }
}

function parse(text: string, tools: FoundTools | undefined): unknown {
  try {
    return parseWithCachedTools(text, tools);
  } catch (error) {
    if (text.trim() === "") {
      throw new PostelError(createFailure("invalid_json", "The request has no body; send a JSON object."));
    }
    const message = error instanceof Error ? error.message : "";
    throw new PostelError(
      createFailure("invalid_json", `The body is not valid JSON: the fault is at ${findErrorPosition(text, message)}.`),
    );
  }
}
