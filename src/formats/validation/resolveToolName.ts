// Resolves a written name of a tool or a parameter: an exact one, or one unmistakable misspelling of one name. Uses no edit distance.
import { StopTable } from "../scanner/Source.ts";
import { trimBlanks } from "../scanner/whitespace.ts";

export interface ResolvedName {
  readonly name: string;
  /** Stable codes of the repairs; empty if the name was exact. */
  readonly repairs: readonly string[];
}

/** Returns equal texts for names that differ only in case and in their separator. */
function ignoreCase(name: string): string {
  return name.toLowerCase().replace(/[-.:/ ]/g, "_");
}

/** Returns equal texts for names that differ only in case and separators, including camel case. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.:/ ]/g, "");
}

/** The first characters that one of these names may be written with, a namespace aside. */
export function compileNameStarts(names: readonly string[]): StopTable {
  const starts = names.map((name) => name.charAt(0) + normalizeName(name).charAt(0)).join("");
  return new StopTable(`${starts.toLowerCase()}${starts.toUpperCase()}_`);
}

const SPELL = { fold: ignoreCase, letters: normalizeName } as const;
type Spelling = keyof typeof SPELL;

/** Names by the two spellings in which a near miss is looked for, each look-up one step however many there are. */
export class Spellings {
  readonly #names: ReadonlySet<string>;
  readonly #known: { [spelling in Spelling]?: ReadonlyMap<string, readonly string[]> } = {};

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names that are spelled like this one. */
  findSimilar(writtenName: string, spelling: Spelling): readonly string[] {
    this.#known[spelling] ??= Map.groupBy(this.#names, SPELL[spelling]);
    return this.#known[spelling].get(SPELL[spelling](writtenName)) ?? [];
  }
}

/** The offered names, prepared once for many look-ups. */
export class OfferedNames extends Spellings {
  /** Returns the offered tool that `written` means, or undefined if none or several fit. */
  resolve(writtenName: string): ResolvedName | undefined {
    if (this.has(writtenName)) return { name: writtenName, repairs: [] };
    if (writtenName.length > maxWritten) return undefined;
    const cleanName = stripNoise(writtenName);
    if (!isPlain(cleanName)) return undefined;
    const trimmed: readonly string[] = cleanName === writtenName ? [] : ["name-junk"];
    const exactMatch = this.#find(cleanName);
    if (exactMatch) return { name: exactMatch.name, repairs: [...trimmed, ...exactMatch.repairs] };
    for (const rest of withoutNamespace(cleanName)) {
      const found = this.#find(rest);
      if (found) return { name: found.name, repairs: [...trimmed, "name-prefix", ...found.repairs] };
    }
    return undefined;
  }

  #find(cleanName: string): ResolvedName | undefined {
    if (this.has(cleanName)) return { name: cleanName, repairs: [] };
    const folded = this.findSimilar(cleanName, "fold");
    const findSimilarWords = () =>
      this.findSimilar(cleanName, "letters").filter((one) => haveSameWords(one, cleanName));
    const [name, second] = folded.length > 0 ? folded : findSimilarWords();
    if (name === undefined || second !== undefined) return undefined;
    return { name, repairs: [name.toLowerCase() === cleanName.toLowerCase() ? "name-case" : "name-spelling"] };
  }
}

/** Two names that both separate their words must separate the same ones: `get_coordinate` is not `get_co-ordinate`. */
function haveSameWords(one: string, other: string): boolean {
  const separators = /[-_.:/ ]/;
  return (
    !separators.test(one) ||
    !separators.test(other) ||
    ignoreCase(splitCamelCase(one)) === ignoreCase(splitCamelCase(other))
  );
}

function splitCamelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_");
}

/** Longer than any legal name with all that is seen glued to one. */
const maxWritten = 512;

/** Names are ASCII: a look-alike letter, an invisible one, a line break or a path step is never repaired. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_][\w\-.:/ ]*$/.test(name) && !name.includes("..") && name.length <= 256;
}

/** Removes control tokens, quotes, Markdown, `()` and a call's number (`:0`) from a name. */
function stripNoise(writtenName: string): string {
  let name = trimBlanks(writtenName);
  const token = name.search(/<[|｜/]/);
  if (token > 0) name = name.slice(0, token).trim();
  name = name.replaceAll("\\_", "_");
  for (let before = ""; before !== name; ) {
    before = name;
    const [first, last] = [name.charAt(0), name.at(-1) ?? ""];
    if (name.length > 2 && "\"'`*[<".includes(first) && last === (CLOSERS[first] ?? first))
      name = name.slice(1, -1).trim();
    else if (name.endsWith("()")) name = name.slice(0, -2);
    else if (name.length > 1 && ":.,;".includes(last)) name = name.slice(0, -1);
  }
  return name.replace(/:\d{1,3}$/, "");
}

const CLOSERS: Readonly<Record<string, string>> = { "[": "]", "<": ">" };

/** The name without its leading namespaces (`functions.`, `mcp__server__`, `roll_dice.roll_dice`), least taken off first. */
function withoutNamespace(cleanName: string): readonly string[] {
  const rests: string[] = [];
  const separator = /\.|__|:|\//g;
  for (
    let match = separator.exec(cleanName);
    match && rests.length < maxNamespaces;
    match = separator.exec(cleanName)
  ) {
    const rest = cleanName.slice(match.index + match[0].length);
    if (match.index > 0 && rest !== "") rests.push(rest);
  }
  return rests;
}

const maxNamespaces = 8;

const NONE: ReadonlyMap<string, string> = new Map();

/** The known names of the keys that are none: each the one that is not given and that a near miss can only mean. */
export function matchNearNames(
  members: readonly { readonly key: string }[],
  known: Spellings,
): ReadonlyMap<string, string> {
  const unknownKeys = members.flatMap(({ key }) => (known.has(key) ? [] : [key]));
  if (unknownKeys.length === 0 || unknownKeys.length > maxStrays) return NONE;
  const presentKeys = new Set(members.map(({ key }) => key));
  const renamed = new Map<string, string>();
  for (const spelling of ["fold", "letters"] as const) {
    const spell = SPELL[spelling];
    for (const key of unknownKeys) {
      const name = getOnlyMissing(known.findSimilar(key, spelling), presentKeys);
      const sameSpelling = unknownKeys.filter((other) => spell(other) === spell(key));
      if (name !== undefined && sameSpelling.length === 1 && !renamed.has(key)) renamed.set(key, name);
    }
  }
  return new Set(renamed.values()).size < renamed.size ? NONE : renamed;
}

/** Unknown keys for which a near miss is looked for; an object with more of them is no misspelt one. */
const maxStrays = 16;

/** The one name that is not given; looks no further where more must be free. */
function getOnlyMissing(names: readonly string[], presentKeys: ReadonlySet<string>): string | undefined {
  if (names.length > presentKeys.size + 1) return undefined;
  const [name, second] = names.filter((one) => !presentKeys.has(one));
  return second === undefined ? name : undefined;
}

/** Names that a message lists, and characters of each. */
const SHOWN = 10;
const CHARS = 80;

/** Limits the list: hostile text can cause thousands of messages, so their size must not depend on the request. */
export function nameList(names: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === SHOWN) break;
    shown.push(name.length > CHARS ? `${name.slice(0, CHARS)}…` : name);
  }
  const more = count - shown.length;
  return `${shown.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
