// Where JSON values may stand in a text: inside fences, and between balanced brackets. Decides nothing about which one is meant.
import { closingQuote } from "./jsonSpans.ts";

/** Candidates that are looked at; a text with more is no answer in JSON. */
const LIMIT = 32;

/** The bodies of the closed fences that start a line, in order; the last one may be open. */
export function fencedBodies(text: string): readonly string[] {
  const bodies: string[] = [];
  let body: string[] | undefined;
  for (const line of text.split("\n")) {
    const fence = line.trimStart().startsWith("```");
    if (body && fence) {
      bodies.push(body.join("\n"));
      body = undefined;
    } else if (body) body.push(line);
    else if (fence) body = [];
  }
  if (body) bodies.push(body.join("\n"));
  return bodies.filter((found) => /^\s*[[{]/.test(found)).slice(0, LIMIT);
}

/**
 * The outermost stretches of the text between an opening bracket or brace and its partner, in order, each character
 * looked at once. Double quotes count inside brackets only; a stretch with a wrong or missing partner is none.
 */
export function balancedRegions(text: string): readonly string[] {
  const regions: string[] = [];
  const open: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length && regions.length < LIMIT; at++) {
    const char = text.charAt(at);
    if (char === "{" || char === "[") {
      if (open.length === 0) start = at;
      open.push(char === "{" ? "}" : "]");
    } else if (open.length > 0 && char === '"') {
      at = closingQuote(text, at);
    } else if (open.length > 0 && (char === "}" || char === "]")) {
      if (open.pop() !== char) open.length = 0;
      else if (open.length === 0) regions.push(text.slice(start, at + 1));
    }
  }
  return regions;
}
