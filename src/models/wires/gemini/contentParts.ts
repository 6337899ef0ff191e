// Converts the content of one chat message to Gemini parts.
import type { Part } from "@google/genai";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asArray, asObject, asString } from "../../looseJson.ts";
import { canFetchFiles } from "./modelGeneration.ts";
import { createUnsupportedError } from "./unsupported.ts";

/**
 * Converts content to parts; none for empty content, which the API refuses.
 * @throws PostelError `unsupported_parameter` for a part of another type, and for a file that this model cannot fetch.
 */
export function toContentParts(content: JsonValue | undefined, model: string): readonly JsonObject[] {
  return asArray(content).flatMap((part) => {
    if (typeof part === "string") return textParts(part);
    const object = asObject(part);
    return object ? contentPart(object, model) : [];
  });
}

function contentPart(part: JsonObject, model: string): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return textParts(part.text);
    case "refusal":
      return textParts(part.refusal);
    case "image_url":
    case "video_url": {
      const { [part.type]: path } = part;
      return [filePart(asString(asObject(path)?.url) ?? asString(path) ?? "", model)];
    }
    case "input_audio": {
      const { data, format } = asObject(part.input_audio) ?? {};
      return [inlinePart(`audio/${asString(format) ?? "wav"}`, asString(data) ?? "")];
    }
    case "file": {
      const { file_data: data, file_id: id } = asObject(part.file) ?? {};
      return [filePart(asString(data) ?? asString(id) ?? "", model)];
    }
    default:
      throw createUnsupportedError("messages", `takes no content part of the type ${JSON.stringify(part.type)}`);
  }
}

function textParts(text: JsonValue | undefined): readonly JsonObject[] {
  const said = asString(text);
  return said === undefined ? [] : [{ text: said }];
}

/** Returns inline data, or the URL from which the API fetches the file. */
function filePart(location: string, model: string): JsonObject {
  if (/^data:/i.test(location)) return dataPart(location);
  if (!/^(https|gs):/i.test(location)) {
    const what = "takes images and files as `data:` URLs, and those at public `https:` addresses";
    throw createUnsupportedError("messages", `${what}, not ${JSON.stringify(location.slice(0, 40))}`);
  }
  if (!canFetchFiles(model) && !OF_GOOGLE.test(location)) {
    const what = `does not fetch images and files for \`${model.slice(0, 64)}\`; send a \`data:\` URL`;
    throw createUnsupportedError("messages", what);
  }
  const mimeType = TYPES.get(/\.(\w+)(?:[?#]|$)/.exec(location)?.[1]?.toLowerCase() ?? "");
  return { fileData: { fileUri: location, ...(mimeType !== undefined && { mimeType }) } } satisfies Part;
}

/** Files that were given to Google before, and videos that are its own: every model takes them. */
const OF_GOOGLE = /^(gs:|https:\/\/(generativelanguage\.googleapis\.com|www\.youtube\.com|youtu\.be)\/)/i;

/** MIME types by the extension of the address. For others the API detects the type. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["gif", "image/gif"],
  ["pdf", "application/pdf"],
  ["mp4", "video/mp4"],
  ["webm", "video/webm"],
  ["mp3", "audio/mp3"],
  ["wav", "audio/wav"],
]);

/** `data:TYPE;base64,DATA`, or the same percent-encoded. */
function dataPart(url: string): JsonObject {
  const comma = url.indexOf(",");
  if (comma === -1) throw createUnsupportedError("messages", "was given a `data:` URL without a comma");
  const [type = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const data = url.slice(comma + 1);
  const isBase64 = parameters.some((word) => word.trim().toLowerCase() === "base64");
  return inlinePart(type || "text/plain", isBase64 ? data : toBase64(data));
}

function toBase64(text: string): string {
  try {
    return Buffer.from(decodeURIComponent(text)).toString("base64");
  } catch {
    throw createUnsupportedError("messages", "was given a `data:` URL that is neither base64 nor percent-encoded");
  }
}

function inlinePart(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } } satisfies Part;
}
