// The control tokens of one chat template, as a pattern for breaking them. Knows no model.
import { WIRES } from "../families/tables.ts";
import { marksOf } from "../families/wires.ts";
import { literalPattern, type TokenPattern } from "./neutralise.ts";

/** Marks of a wire that pages are full of: HTML's own element. */
const ELEMENTS: ReadonlySet<string> = new Set(["s", "/s"]);

/** Those of the wire alone, in each spelling that its models have; of no wire, or an unknown one, none. */
export function wireTokens(id: string | undefined): TokenPattern {
  const marks = WIRES.filter((wire) => wire.id === id).flatMap(marksOf);
  const names = [...new Set(marks)].filter((name) => !ELEMENTS.has(name));
  return (slashes) => names.map((name) => tokenPattern(name, slashes)).join("|");
}

/** Canonical names have no angle brackets, ASCII bars and underscores (see Tag). */
function tokenPattern(name: string, slashes: string): string {
  if (!/^[\w|/:]+$/.test(name)) return literalPattern(name, slashes);
  return literalPattern(`<${name}>`, slashes).replaceAll("\\|", "[|｜]").replaceAll("_", "[_▁]");
}
