// Builds the gateway's name of an MCP tool.
import { createHash } from "node:crypto";

/** Maximum number of characters of `server.tool`. */
const LONGEST = 128;
/** Number of digest characters at the end of a changed name. */
const DIGEST = 6;

/**
 * Builds `server.tool`; the tool's part contains only letters, digits, `_` and `-`. Any other name, or one that is too
 * long, is changed and ends with a digest of the original, so that names stay unique. The result is deterministic.
 * @param server 1–64 letters, digits, `_` or `-`.
 * @param toolName the server's name for the tool: any text.
 */
export function buildMcpToolName(server: string, toolName: string): string {
  const maxLength = LONGEST - server.length - 1;
  if (/^[A-Za-z0-9_-]+$/.test(toolName) && toolName.length <= maxLength) return `${server}.${toolName}`;
  const sanitizedName = toolName.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, maxLength - DIGEST - 1);
  const digest = createHash("sha256").update(toolName).digest("hex").slice(0, DIGEST);
  return `${server}.${sanitizedName}_${digest}`;
}
