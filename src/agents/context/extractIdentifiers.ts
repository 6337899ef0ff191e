// The file names, ids and numbers of a text, found by their form alone: what a summary must not lose. Knows no language and guesses no meaning.

interface NamesIn {
  readonly files: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

/** Nobody names anything longer. */
const MOST_CHARS = 200;

/** In the order in which they came; one pass over the text, and a bounded look at each word. */
function extractIdentifiers(text: string): NamesIn {
  const found = { files: new Set<string>(), ids: new Set<string>(), numbers: new Set<string>() };
  for (const [written] of text.matchAll(WORD)) {
    if (written.length > MOST_CHARS) continue;
    const word = written.replace(/^[.:;!?*#-]{1,8}(?=\w)/, "").replace(/[.:;!?*…-]{1,8}$/, "");
    const kind = classifyIdentifier(word);
    if (kind !== undefined) found[kind].add(word);
  }
  return found;
}

/** What stands between white space, quotes, brackets and commas. A comma between digits groups them. */
const WORD = /(?:[^\s"'`“”‘’<>(){}[\],|=]|(?<=\d),(?=\d))+/gu;

const FILE = /^[\w@~+-][\w@~+.-]*\.[A-Za-z][A-Za-z0-9]{0,7}$/;
/** `e.g` and `i.e` are words. */
const ABBREVIATED = /^[A-Za-z](\.[A-Za-z])+$/;
const NUMBER = /^[-+]?[$€£]?\d[\d.,:/-]*%?$/;
const A_DIGIT = /\d/;
const A_LETTER = /\p{L}/u;

function classifyIdentifier(word: string): keyof NamesIn | undefined {
  if (NUMBER.test(word)) return word.replace(/\D/g, "").length > 1 ? "numbers" : undefined;
  if (/[/\\]/.test(word)) return A_LETTER.test(word) && word.length > 2 ? "files" : undefined;
  if (FILE.test(word) && !ABBREVIATED.test(word)) return "files";
  return A_DIGIT.test(word) && word.length > 1 ? "ids" : undefined;
}

/** Characters of what is listed. */
const LISTED_CHARS = 4_000;

/**
 * Those of `text` that `summary` does not have, a line for each kind; undefined where it has all. Of more than can be listed the youngest
 * stay, numbers being the first to go, and the line says how many are missing.
 */
export function findMissingIdentifiers(text: string, summary: string): string | undefined {
  const said = extractIdentifiers(summary);
  const all = extractIdentifiers(text);
  let room = LISTED_CHARS;
  const lines = (["files", "ids", "numbers"] as const).flatMap((kind) => {
    const missing = [...all[kind]].filter((name) => !said[kind].has(name));
    const { kept, chars } = takeNewest(missing, room);
    room -= chars;
    if (missing.length === 0) return [];
    const more = missing.length > kept.length ? ` (and ${missing.length - kept.length} earlier ones)` : "";
    return [`${LABELS[kind]}: ${kept.join(", ")}${more}`];
  });
  return lines.length > 0 ? lines.join("\n") : undefined;
}

const LABELS = { files: "Files and paths", ids: "Ids", numbers: "Numbers" } as const;

function takeNewest(
  names: readonly string[],
  room: number,
): { readonly kept: readonly string[]; readonly chars: number } {
  const kept: string[] = [];
  let chars = 0;
  for (const name of names.toReversed()) {
    if (chars + name.length + 2 > room) break;
    chars += name.length + 2;
    kept.unshift(name);
  }
  return { kept, chars };
}
