// Patterns over model names, and the aliases that are made of them. Knows no model and no upstream.

/** Whether a lower-case pattern covers the whole of a lower-case name; `*` stands for any run of characters. */
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

/** How much a pattern says: its characters that are no wildcard. */
export function countLiterals(pattern: string): number {
  return pattern.replaceAll("*", "").length;
}

/** Names that callers send for a model of another name. */
export interface Alias {
  /** Lower case, `*` for anything; `default` also stands for every name that nobody serves. */
  readonly pattern: string;
  /** The name that is asked for in their place; never an alias itself. */
  readonly model: string;
}

/** The alias of every name that no upstream serves. */
export const DEFAULT_ALIAS = "default";

/** The alias that takes a name, whatever its case: the name itself, else of the patterns that cover it the one that says most. */
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
