// Parses robots.txt rules for a product name (RFC 9309) and matches paths.
import { YieldBudget, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { matchesPattern } from "../../core/models/namePatterns.ts";

/** A line that allows or disallows paths. */
export interface RobotsRule {
  readonly allows: boolean;
  /** Percent-encoded like paths; `*` matches anything, and a final `$` matches the end of the path. */
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: RobotsRule[];
}

/** Rules of all groups that name the product, or else of the `*` groups. @param product name in any case. */
export function parseRobotsRules(text: string, product: string): readonly RobotsRule[] {
  const groups = parseGroups(text.replace(/^\ufeff/, ""));
  const named = groups.filter(({ agents }) => agents.includes(product.toLowerCase()));
  const meant = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  return meant.flatMap(({ rules }) => rules);
}

/** Characters of patterns and paths that are compared in one go. */
const SLICE = 4_000_000;

/** Returns true if the path, with its query, may be read: the longest matching rule decides; among equals the allowing one. */
export async function isAllowed(path: string, rules: readonly RobotsRule[], signal: AbortSignal): Promise<boolean> {
  const pace = new YieldBudget(SLICE);
  const asked = encoded(path);
  let longest: RobotsRule | undefined;
  for (const rule of rules) {
    if (pace.isDue(rule.pattern.length + asked.length)) await yieldToEventLoop(signal);
    const { length } = rule.pattern;
    const known = longest?.pattern.length ?? -1;
    if (length < known || (length === known && !rule.allows)) continue;
    if (covers(rule.pattern, asked)) longest = rule;
  }
  return longest?.allows ?? true;
}

function parseGroups(text: string): readonly Group[] {
  const groups: Group[] = [];
  let namesAgents = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([a-z-]+)\s*:(.*)$/i.exec(line.split("#", 1)[0] ?? "") ?? [];
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!namesAgents) groups.push({ agents: [], rules: [] });
      groups.at(-1)?.agents.push(normalizeAgent(value.trim()));
      namesAgents = true;
    } else if (name === "allow" || name === "disallow") {
      const pattern = value.trim();
      if (pattern !== "") groups.at(-1)?.rules.push({ allows: name === "allow", pattern: encoded(pattern) });
      namesAgents = false;
    }
  }
  return groups;
}

/** The product name without a version. */
function normalizeAgent(value: string): string {
  return value === "*" ? value : (/^[a-z_-]+/i.exec(value)?.[0].toLowerCase() ?? "");
}

function covers(pattern: string, path: string): boolean {
  return pattern.endsWith("$") ? matchesPattern(pattern.slice(0, -1), path) : matchesPattern(`${pattern}*`, path);
}

/** Canonical spelling of a path (RFC 9309, 2.2.2): required escapes in capitals, other escapes decoded. */
function encoded(path: string): string {
  return path
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });
}
