// Names in a message: the first of them and how many there are. Knows no tool and no schema.

/** Names that a message lists, and characters of each. */
const SHOWN = 10;
const CHARS = 80;

/** A message is written thousands of times for one hostile text, so it may not grow with what a request offers. */
export function nameList(names: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === SHOWN) break;
    shown.push(name.length > CHARS ? `${name.slice(0, CHARS)}…` : name);
  }
  const more = count - shown.length;
  return `${shown.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
