// Patterns over model names, and aliases that use them.

/** Returns true if a lower-case pattern matches the complete lower-case name; `*` stands for any characters. */
export function matchesPattern(pattern: string, name: string): boolean {
  const literals = pattern.split("*");
  const head = literals.shift() ?? "";
  if (!name.startsWith(head)) return false;
  const tail = literals.pop();
  if (tail === undefined) return name === head;
  let at = head.length;
  for (const literal of literals) {
    const found = name.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}

/** Number of characters of a pattern that are no wildcard. */
export function countLiterals(pattern: string): number {
  return pattern.replaceAll("*", "").length;
}

/** Names that clients send for a model with another name. */
export interface Alias {
  /** Lower case, `*` for anything; `default` also matches every name that no upstream serves. */
  readonly pattern: string;
  /** The model name that replaces them; never an alias itself. */
  readonly model: string;
}

/** The alias of every name that no upstream serves. */
export const DEFAULT_ALIAS = "default";

/** The alias for a name, ignoring case: the exact name, else the matching pattern with the most literal characters. */
export function findAlias(name: string, aliases: readonly Alias[]): Alias | undefined {
  const lower = name.toLowerCase();
  let best: Alias | undefined;
  for (const alias of aliases) {
    if (alias.pattern === lower) return alias;
    if (best && countLiterals(alias.pattern) <= countLiterals(best.pattern)) continue;
    if (matchesPattern(alias.pattern, lower)) best = alias;
  }
  return best;
}
