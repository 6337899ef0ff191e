// What the gateway calls a tool that a server offers under a name of its own. Knows no server.
import { createHash } from "node:crypto";

/** Characters of `server.tool`, which every name of a tool may have. */
const LONGEST = 128;
/** Letters of a digest that follow a name that had to be changed. */
const DIGEST = 6;

/**
 * `server.tool`, with letters, digits, `_` and `-` alone in the tool's own part. A name that has anything else in it, or is too long, is
 * changed, and ends with a digest of itself, so that no two names of a server become the same. Always the same for the same name.
 * @param server 1–64 letters, digits, `_` or `-`.
 * @param own the server's name for the tool: any text.
 */
export function buildMcpToolName(server: string, own: string): string {
  const most = LONGEST - server.length - 1;
  if (/^[A-Za-z0-9_-]+$/.test(own) && own.length <= most) return `${server}.${own}`;
  const legal = own.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, most - DIGEST - 1);
  const digest = createHash("sha256").update(own).digest("hex").slice(0, DIGEST);
  return `${server}.${legal}_${digest}`;
}
