// The values that `enum` or `const` lists, looked up by their JSON text and by their spelling, each in one step. Knows no schema around them.
import { stringAt } from "../bodies/jsonSpans.ts";
import { Spellings } from "./Spellings.ts";

export class Literals {
  readonly #texts: ReadonlySet<string>;
  #strings: Spellings | undefined;

  /** JSON texts as `JSON.stringify` writes them. */
  constructor(texts: Iterable<string>) {
    this.#texts = new Set(texts);
  }

  get size(): number {
    return this.#texts.size;
  }

  has(json: string): boolean {
    return this.#texts.has(json);
  }

  /** Strings that differ from `word` only in case and separators. */
  like(word: string): readonly string[] {
    this.#strings ??= new Spellings(stringsOf(this.#texts));
    return this.#strings.like(word, "fold");
  }

  /** What both list. */
  and(other: Literals): Literals {
    return new Literals([...this.#texts].filter((text) => other.has(text)));
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#texts[Symbol.iterator]();
  }
}

function* stringsOf(texts: Iterable<string>): Iterable<string> {
  for (const text of texts) if (text.startsWith('"')) yield stringAt(text, { start: 0, end: text.length });
}
