// Extracts the file names, ids and numbers of a text by their form. A summary must contain them.

interface NamesIn {
  readonly files: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

/** Longer words are no identifiers. */
const MOST_CHARS = 200;

/** Identifiers in the order of first use. One pass over the text, with bounded work per word. */
function extractIdentifiers(text: string): NamesIn {
  const found = { files: new Set<string>(), ids: new Set<string>(), numbers: new Set<string>() };
  for (const [summary] of text.matchAll(WORD)) {
    if (summary.length > MOST_CHARS) continue;
    const identifier = summary.replace(/^[.:;!?*#-]{1,8}(?=\w)/, "").replace(/[.:;!?*…-]{1,8}$/, "");
    const kind = classifyIdentifier(identifier);
    if (kind !== undefined) found[kind].add(identifier);
  }
  return found;
}

/** Text between white space, quotes, brackets and commas. A comma between digits groups them. */
const WORD = /(?:[^\s"'`“”‘’<>(){}[\],|=]|(?<=\d),(?=\d))+/gu;

const FILE = /^[\w@~+-][\w@~+.-]*\.[A-Za-z][A-Za-z0-9]{0,7}$/;
/** `e.g` and `i.e` are abbreviations and no file names. */
const ABBREVIATED = /^[A-Za-z](\.[A-Za-z])+$/;
const NUMBER = /^[-+]?[$€£]?\d[\d.,:/-]*%?$/;
const A_DIGIT = /\d/;
const A_LETTER = /\p{L}/u;

function classifyIdentifier(identifier: string): keyof NamesIn | undefined {
  if (NUMBER.test(identifier)) return identifier.replace(/\D/g, "").length > 1 ? "numbers" : undefined;
  if (/[/\\]/.test(identifier)) return A_LETTER.test(identifier) && identifier.length > 2 ? "files" : undefined;
  if (FILE.test(identifier) && !ABBREVIATED.test(identifier)) return "files";
  return A_DIGIT.test(identifier) && identifier.length > 1 ? "ids" : undefined;
}

/** Maximum number of characters of the list. */
const LISTED_CHARS = 4_000;

/**
 * Identifiers of `text` that `summary` lacks, one line for each kind; undefined if none is missing. If there are too
 * many, the latest are listed, numbers are dropped first, and the line states how many are missing.
 */
export function findMissingIdentifiers(text: string, summary: string): string | undefined {
  const said = extractIdentifiers(summary);
  const all = extractIdentifiers(text);
  let remainingChars = LISTED_CHARS;
  const lines = (["files", "ids", "numbers"] as const).flatMap((kind) => {
    const missing = [...all[kind]].filter((name) => !said[kind].has(name));
    const { kept, chars } = takeNewest(missing, remainingChars);
    remainingChars -= chars;
    if (missing.length === 0) return [];
    const more = missing.length > kept.length ? ` (and ${missing.length - kept.length} earlier ones)` : "";
    return [`${LABELS[kind]}: ${kept.join(", ")}${more}`];
  });
  return lines.length > 0 ? lines.join("\n") : undefined;
}

const LABELS = { files: "Files and paths", ids: "Ids", numbers: "Numbers" } as const;

function takeNewest(
  names: readonly string[],
  budget: number,
): { readonly kept: readonly string[]; readonly chars: number } {
  const selected: string[] = [];
  let chars = 0;
  for (const name of names.toReversed()) {
    if (chars + name.length + 2 > budget) break;
    chars += name.length + 2;
    selected.unshift(name);
  }
  return { kept: selected, chars };
}
