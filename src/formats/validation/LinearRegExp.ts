// Runs a `pattern` of a client's schema in time bounded by its length and the text's: follows all paths at once and retries none.

/** Remaining steps. The code that spends them subtracts them here. */
export interface StepBudget {
  steps: number;
}

/**
 * JavaScript's own engine tries one path after the other, and `^(a|a)*$` has 2^n of them. This one tracks the set of states that the text
 * so far may have reached. Not run: patterns that need memory of the text (back references and look-around), and
 * patterns of more than 2,000 instructions with their counts expanded.
 */
export class LinearRegExp {
  readonly #graph: Graph;
  readonly #isUnicode: boolean;

  private constructor(graph: Graph, isUnicode: boolean) {
    this.#graph = graph;
    this.#isUnicode = isUnicode;
  }

  /** Returns `undefined` for an invalid pattern, and for one that is not run. */
  static of(source: string): LinearRegExp | undefined {
    const flags = source.length > MAX_SOURCE ? undefined : ["u", ""].find((one) => isPattern(source, one));
    const graph = flags === undefined ? undefined : new PatternReader(source, flags).read();
    return graph && new LinearRegExp(graph, flags === "u");
  }

  /** Instructions. */
  get size(): number {
    return this.#graph.size;
  }

  /** Returns true if the pattern matches somewhere in `text`; `undefined` if the steps run out. One step is one instruction for one character. */
  test(text: string, budget: StepBudget): boolean | undefined {
    budget.steps -= text.length;
    if (budget.steps < 0) return undefined;
    const chars = this.#isUnicode ? [...text] : text.split("");
    const seen = new Uint32Array(this.#graph.size);
    const places = [this.#graph.start];
    for (let at = 0; at <= chars.length; at++) {
      const reading = this.#follow(places, { chars, at, seen, budget });
      if (!reading) return true;
      const char = chars[at];
      places.length = 0;
      for (const { takes, next } of reading)
        if (char !== undefined && takes?.(char)) for (const place of next) places.push(place);
      if (budget.steps < 0) return undefined;
      // A match may begin anywhere.
      places.push(this.#graph.start);
    }
    return false;
  }

  /** Runs all instructions that need no character. Returns those that need one, or `undefined` at a match. Empties `places`. */
  #follow(places: Place[], { chars, at, seen, budget }: Position): readonly Place[] | undefined {
    const reading: Place[] = [];
    for (let place = places.pop(); place; place = places.pop()) {
      budget.steps--;
      if (seen[place.id] === at + 1) continue;
      seen[place.id] = at + 1;
      if (place === this.#graph.end) return undefined;
      if (place.takes) reading.push(place);
      else if (!place.where || holds(place.where, chars, at)) for (const next of place.next) places.push(next);
    }
    return reading;
  }
}

const MAX_SOURCE = 4_096;
const MAX_INSTRUCTIONS = 2_000;
const MAX_GROUPS = 64;

interface Position {
  readonly chars: readonly string[];
  readonly at: number;
  /** For each place one more than the position at which it was reached last. */
  readonly seen: Uint32Array;
  readonly budget: StepBudget;
}

type Where = "start" | "end" | "boundary" | "inside";

/** A state of a pattern: what it reads or checks, and the states after it. */
interface Place {
  readonly id: number;
  readonly takes?: (char: string) => boolean;
  readonly where?: Where;
  next: readonly Place[];
}

interface Graph {
  readonly start: Place;
  readonly end: Place;
  readonly size: number;
}

/** A part of a pattern, put before the place that follows it. */
type Part = (next: Place) => Place;

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function holds(where: Where, chars: readonly string[], at: number): boolean {
  if (where === "start") return at === 0;
  if (where === "end") return at === chars.length;
  const isBoundary = isWord(chars[at - 1]) !== isWord(chars[at]);
  return isBoundary === (where === "boundary");
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}

/** Parses a source that JavaScript accepts as a pattern, so it examines only the characters that separate its parts. */
class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;
  #groups = 0;
  #places = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): Graph | undefined {
    const part = this.#choice();
    if (!part || this.#at < this.#source.length) return undefined;
    const end = this.#place([]);
    const start = part(end);
    return this.#isFull ? undefined : { start, end, size: this.#places };
  }

  get #isFull(): boolean {
    return this.#places > MAX_INSTRUCTIONS;
  }

  #place(next: readonly Place[], does: Pick<Place, "takes" | "where"> = {}): Place {
    return { id: this.#places++, ...does, next };
  }

  #choice(): Part | undefined {
    const ways: Part[] = [];
    do {
      const way = this.#sequence();
      if (!way) return undefined;
      ways.push(way);
    } while (this.#take("|"));
    const [only, second] = ways;
    return only && !second ? only : (next) => this.#place(ways.map((way) => way(next)));
  }

  #sequence(): Part | undefined {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) {
      const part = this.#part();
      if (!part) return undefined;
      parts.push(this.#repeated(part));
    }
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #part(): Part | undefined {
    for (const [sign, where] of CHECKS) if (this.#take(sign)) return (next) => this.#place([next], { where });
    if (this.#take("(")) return this.#group();
    const atom = this.#match(ATOM);
    const takes = atom === undefined ? undefined : compileAtom(atom, this.#flags);
    return takes && ((next) => this.#place([next], { takes }));
  }

  #group(): Part | undefined {
    if (++this.#groups > MAX_GROUPS) return undefined;
    const isPlain = this.#take("?:") || this.#match(GROUP_NAME) !== undefined || this.#source[this.#at] !== "?";
    const inner = isPlain ? this.#choice() : undefined;
    return inner && this.#take(")") ? inner : undefined;
  }

  #repeated(part: Part): Part {
    const sign = this.#match(QUANTIFIER);
    if (sign === undefined) return part;
    const [, least, comma, most] = /(\d+)(,?)(\d*)/.exec(sign) ?? [];
    if (least === undefined)
      return this.#times(part, sign.startsWith("+") ? 1 : 0, sign.startsWith("?") ? 1 : Infinity);
    return this.#times(part, Number(least), comma === "" ? Number(least) : Number(most || Infinity));
  }

  #times(part: Part, min: number, max: number): Part {
    return (next) => {
      let at = next;
      if (max === Infinity) {
        at = this.#place([]);
        at.next = [part(at), next];
      } else for (let times = min; times < max && !this.#isFull; times++) at = this.#place([part(at), next]);
      for (let times = 0; times < min && !this.#isFull; times++) {
        const before = part(at);
        // Nothing, however often.
        if (before === at) break;
        at = before;
      }
      return at;
    };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const CHECKS: readonly (readonly [sign: string, where: Where])[] = [
  ["^", "start"],
  ["$", "end"],
  ["\\b", "boundary"],
  ["\\B", "inside"],
];

/** A class, an escape but for back references, a dot, or a character for itself. */
const ATOM =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?!\d)|[^1-9kbBpPcx0])|[^\\^$|()[*+?]/uy;
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const GROUP_NAME = /\?<[^=!>][^>]*>/y;

/** One character at a time JavaScript's engine has nothing to try again. */
function compileAtom(atom: string, flags: string): (char: string) => boolean {
  if (/^[\w "'#%&,:;<=>@`~-]$/.test(atom)) return (char) => char === atom;
  const one = new RegExp(`^(?:${atom})$`, flags);
  const known = new Map<string, boolean>();
  return (char) => {
    const before = known.get(char);
    if (before !== undefined) return before;
    const takes = one.test(char);
    if (known.size < MAX_KNOWN) known.set(char, takes);
    return takes;
  };
}

const MAX_KNOWN = 256;
