// Builds the pattern for the control tokens of one chat template, so that they can be escaped.

import { collectMarkers } from "../specs/chatTemplates.ts";
import { CHAT_TEMPLATES } from "../specs/lookupTables.ts";
import { compileLiteral, type TokenPattern } from "./escapeMarkers.ts";

/** Markers of a wire that are HTML elements and frequent in pages. */
const ELEMENTS: ReadonlySet<string> = new Set(["s", "/s"]);

/** Returns the pattern of one wire's tokens in each spelling of its models; of no wire, or an unknown one, none. */
export function wireTokens(id: string | undefined): TokenPattern {
  const markers = CHAT_TEMPLATES.filter((wire) => wire.id === id).flatMap(collectMarkers);
  const names = [...new Set(markers)].filter((name) => !ELEMENTS.has(name));
  return (slashes) => names.map((name) => tokenPattern(name, slashes)).join("|");
}

/** Canonical names have no angle brackets, ASCII bars and underscores (see Tag). */
function tokenPattern(name: string, slashes: string): string {
  if (!/^[\w|/:]+$/.test(name)) return compileLiteral(name, slashes);
  return compileLiteral(`<${name}>`, slashes).replaceAll("\\|", "[|｜]").replaceAll("_", "[_▁]");
}
