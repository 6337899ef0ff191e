// Converts content of a chat message to content blocks of Anthropic's Messages. Fetches and decodes no image.
import type {
  CacheControlEphemeral,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { JsonObject, JsonValue } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";

export type InputBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam;

/**
 * The blocks of a content; none for text without a visible character, which the API refuses ("text content blocks must contain
 * non-whitespace text").
 * @throws PostelError `unsupported_parameter` for a part that the wire cannot carry.
 */
export function toContentBlocks(content: JsonValue | undefined): readonly InputBlock[] {
  if (typeof content === "string") return toTextBlocks(content);
  return asObjects(content).flatMap((part) => partBlocks(part).map((block) => withCacheControl(block, part)));
}

export function toTextBlocks(text: string): readonly TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Adds the prompt-cache marker of `from` (a part, a message or a tool) to the block. */
export function withCacheControl<Block extends object>(block: Block, from: JsonObject): Block {
  const cacheControl = asObject(from.cache_control);
  return cacheControl ? { ...block, cache_control: cacheControl as unknown as CacheControlEphemeral } : block;
}

function partBlocks(part: JsonObject): readonly InputBlock[] {
  switch (part.type) {
    case "text":
      return toTextBlocks(asString(part.text) ?? "");
    case "refusal":
      return toTextBlocks(asString(part.refusal) ?? "");
    case "image_url":
      return [imageBlock(asString(asObject(part.image_url)?.url) ?? asString(part.image_url) ?? "")];
    case "file":
      return [documentBlock(asObject(part.file) ?? {})];
    default:
      return throwInvalid(String(part.type), "Send text, images, PDF files or plain text files.");
  }
}

type ImageType = Extract<ImageBlockParam["source"], { type: "base64" }>["media_type"];

/** The server checks image types and sizes and reports them well. */
function imageBlock(url: string): ImageBlockParam {
  const data = parseDataUrl(url);
  if (data) {
    const media_type = data.mediaType as ImageType;
    return { type: "image", source: { type: "base64", media_type, data: data.base64 } };
  }
  if (/^https?:\/\//i.test(url)) return { type: "image", source: { type: "url", url } };
  return throwInvalid("image_url", "Send an image as an https URL, or as a data URL in base64.");
}

function documentBlock(file: JsonObject): DocumentBlockParam {
  const id = asString(file.file_id);
  const title = asString(file.filename);
  const titled = title === undefined ? {} : { title };
  if (id !== undefined) return { type: "document", source: { type: "file", file_id: id }, ...titled };
  const data = parseDataUrl(asString(file.file_data) ?? "");
  if (data?.mediaType === "application/pdf") {
    const source = { type: "base64", media_type: "application/pdf", data: data.base64 } as const;
    return { type: "document", source, ...titled };
  }
  if (data?.mediaType === "text/plain") {
    const text = Buffer.from(data.base64, "base64").toString("utf8");
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...titled };
  }
  return throwInvalid(
    "file",
    "Send a file as a data URL in base64 of the type application/pdf or text/plain, or by its id.",
  );
}

/** Parses a data URL. No pattern runs over the complete text, which can have megabytes. */
function parseDataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const comma = url.indexOf(",");
  const head =
    comma === -1 || comma > MAX_HEAD_CHARS ? undefined : /^data:([^;,]+)(;[^;,]+)*;base64$/i.exec(url.slice(0, comma));
  return head?.[1] ? { mediaType: head[1].toLowerCase(), base64: url.slice(comma + 1) } : undefined;
}

/** Characters before the data of a data URL. */
const MAX_HEAD_CHARS = 256;

function throwInvalid(type: string, expectation: string): never {
  const message = `A content part of type \`${type.slice(0, 64)}\` as it was sent cannot go to this model: its upstream speaks Anthropic's Messages. ${expectation}`;
  throw new PostelError(createFailure("unsupported_parameter", message, { param: "messages" }));
}
