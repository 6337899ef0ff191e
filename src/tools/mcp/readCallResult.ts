// Reads the result of an MCP call as a tool output. The result is untrusted.
import { isDeeperThan, RESULT_LEVELS } from "../../core/json/jsonDepth.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { MultipartOutput, type OutputPart, type ToolOutput } from "../Tool.ts";

/**
 * Structured data replaces the text that repeats it; images and other data remain. @throws Error with the server's message if
 * it reports a failed tool.
 */
export function readCallResult({ content, structuredContent, isError }: JsonObject): ToolOutput {
  const parts = Array.isArray(content) ? content.map(toPart) : [];
  if (isError === true) throw new Error(joinText(parts) || "the tool failed without saying why.");
  const media = parts.filter(({ type }) => type === "media");
  if (structuredContent !== undefined && structuredContent !== null) {
    if (isDeeperThan(structuredContent, RESULT_LEVELS))
      throw new Error(`the tool's result is nested more than ${RESULT_LEVELS} levels deep.`);
    if (media.length === 0) return structuredContent;
    return new MultipartOutput([{ type: "text", text: JSON.stringify(structuredContent) }, ...media]);
  }
  return media.length === 0 ? joinText(parts) : new MultipartOutput(parts);
}

function joinText(parts: readonly OutputPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function toPart(block: JsonValue): OutputPart {
  if (!isObject(block)) return createTextPart("[something that is no content]");
  const { type, text, data, mimeType, resource } = block;
  if (type === "text" && typeof text === "string") return createTextPart(text);
  if ((type === "image" || type === "audio") && typeof data === "string")
    return { type: "media", mimeType: String(mimeType), data };
  if (type === "resource" && isObject(resource)) return toResourcePart(resource);
  if (type === "resource_link") return createTextPart(`[${describeCall(block.name)} at ${describeCall(block.uri)}]`);
  return createTextPart(`[content of the type ${describeCall(type)}]`);
}

function toResourcePart({ uri, text, blob, mimeType }: JsonObject): OutputPart {
  if (typeof text === "string") return createTextPart(`[${describeCall(uri)}]\n${text}`);
  if (typeof blob === "string") return { type: "media", mimeType: String(mimeType), data: blob };
  return createTextPart(`[${describeCall(uri)}, without content]`);
}

function createTextPart(text: string): OutputPart {
  return { type: "text", text };
}

/** Characters of a name or an address. */
const LONGEST = 500;

function describeCall(raw: JsonValue | undefined): string {
  return typeof raw === "string" ? sanitizeToolText(raw, LONGEST).replaceAll("\n", " ") : "nothing";
}
