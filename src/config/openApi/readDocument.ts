// Reads a file as an OpenAPI document and checks its version.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { isObject, type JsonObject } from "../../core/messages.ts";

/** Bytes. The longest documents of public services have a few millions. */
const MOST_BYTES = 16 * 1_024 * 1_024;

type Read =
  | { readonly type: "read"; readonly file: string; readonly value: JsonObject }
  | { readonly type: "refused"; readonly reason: string };

/** @param folder base of relative paths. */
export function readDocument(folder: string, raw: string): Read {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(raw))
    return createIssue("expected a file and no URL: download the document once, as with `curl -o api.yaml URL`");
  const file = resolve(folder, raw);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return createIssue("expected an existing file, absolute or relative to this one");
  if (size > MOST_BYTES) return createIssue(`expected a file of at most ${MOST_BYTES} bytes`);
  try {
    const value = parseDocument(readFileSync(file, "utf8"));
    const fault = isObject(value) ? versionFault(value) : "expected an OpenAPI document: an object";
    return isObject(value) && fault === undefined ? { type: "read", file, value } : createIssue(fault ?? "");
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return createIssue(`expected a file that can be read, in JSON or YAML: ${reason}`);
  }
}

function createIssue(reason: string): Read {
  return { type: "refused", reason };
}

/** JSON is YAML too, and its own parser faster by far. */
function parseDocument(text: string): unknown {
  return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text);
}

function versionFault({ swagger, openapi }: JsonObject): string | undefined {
  if (swagger !== undefined)
    return "expected OpenAPI 3.0 or 3.1; this is Swagger 2.0: convert it, as with `npx swagger2openapi api.yaml -o openapi.yaml`";
  if (typeof openapi === "string" && /^3\.[01](\.|$)/.test(openapi)) return undefined;
  return 'expected OpenAPI 3.0 or 3.1, as `openapi: "3.1.0"` says';
}
