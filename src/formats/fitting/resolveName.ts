// Which offered tool a written name means: exact, or one unmistakable misspelling of exactly one tool. Never guesses by distance.
import { trimBlanks } from "../text/whiteSpace.ts";

export interface ResolvedName {
  readonly name: string;
  /** What was mended, as short stable codes; empty where the name was exact. */
  readonly repairs: readonly string[];
}

/** The offered names, prepared once for many look-ups. */
export class OfferedNames {
  readonly #exact: ReadonlySet<string>;
  readonly #byFold = new Map<string, string[]>();
  readonly #byLetters = new Map<string, string[]>();

  constructor(names: Iterable<string>) {
    this.#exact = new Set(names);
    for (const name of this.#exact) {
      append(this.#byFold, fold(name), name);
      append(this.#byLetters, letters(name), name);
    }
  }

  /** The offered tool that `written` means, or undefined where none or more than one fits. */
  resolve(written: string): ResolvedName | undefined {
    if (this.#exact.has(written)) return { name: written, repairs: [] };
    if (written.length > maxWritten) return undefined;
    const core = unwrap(written);
    if (!isPlain(core)) return undefined;
    const trimmed: readonly string[] = core === written ? [] : ["name-junk"];
    const direct = this.#find(core);
    if (direct) return { name: direct.name, repairs: [...trimmed, ...direct.repairs] };
    for (const rest of withoutNamespace(core)) {
      const found = this.#find(rest);
      if (found) return { name: found.name, repairs: [...trimmed, "name-prefix", ...found.repairs] };
    }
    return undefined;
  }

  #find(core: string): ResolvedName | undefined {
    if (this.#exact.has(core)) return { name: core, repairs: [] };
    const candidates =
      this.#byFold.get(fold(core)) ?? this.#byLetters.get(letters(core))?.filter((one) => sameWords(one, core)) ?? [];
    const [name] = candidates;
    if (name === undefined || candidates.length > 1) return undefined;
    return { name, repairs: [name.toLowerCase() === core.toLowerCase() ? "name-case" : "name-spelling"] };
  }
}

/** Equal where two names differ in case and in which separator they use. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-.:/ ]/g, "_");
}

/** Equal where two names differ in case and in separators, camel case included. */
export function letters(name: string): string {
  return name.toLowerCase().replace(/[-_.:/ ]/g, "");
}

/** Two names that both part their words must part the same ones: `get_coordinate` is not `get_co-ordinate`. */
function sameWords(one: string, other: string): boolean {
  const parted = /[-_.:/ ]/;
  return !parted.test(one) || !parted.test(other) || fold(humps(one)) === fold(humps(other));
}

function humps(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_");
}

/** Longer than any legal name with all that is seen glued to one. */
const maxWritten = 512;

function append(map: Map<string, string[]>, key: string, name: string): void {
  const list = map.get(key);
  if (list) list.push(name);
  else map.set(key, [name]);
}

/** Names are ASCII: a look-alike letter, an invisible one, a line break or a path step is never mended away. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_][\w\-.:/ ]*$/.test(name) && !name.includes("..") && name.length <= 256;
}

/** Takes off what is glued to a name: control tokens, quotes, Markdown, `()`, a call's number (`:0`). */
function unwrap(written: string): string {
  let name = trimBlanks(written);
  const token = name.search(/<[|｜/]/);
  if (token > 0) name = name.slice(0, token).trim();
  name = name.replaceAll("\\_", "_");
  for (let before = ""; before !== name; ) {
    before = name;
    const [first, last] = [name.charAt(0), name.at(-1) ?? ""];
    if (name.length > 2 && "\"'`*[<".includes(first) && last === (closers.get(first) ?? first))
      name = name.slice(1, -1).trim();
    else if (name.endsWith("()")) name = name.slice(0, -2);
    else if (name.length > 1 && ":.,;".includes(last)) name = name.slice(0, -1);
  }
  return name.replace(/:\d{1,3}$/, "");
}

const closers: ReadonlyMap<string, string> = new Map([
  ["[", "]"],
  ["<", ">"],
]);

/** The name without its leading namespaces (`functions.`, `mcp__server__`, `roll_dice.roll_dice`), least taken off first. */
function withoutNamespace(core: string): readonly string[] {
  const rests: string[] = [];
  const separator = /\.|__|:|\//g;
  for (let match = separator.exec(core); match && rests.length < maxNamespaces; match = separator.exec(core)) {
    const rest = core.slice(match.index + match[0].length);
    if (match.index > 0 && rest !== "") rests.push(rest);
  }
  return rests;
}

const maxNamespaces = 8;
