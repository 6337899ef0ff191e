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
  static compile(source: string): LinearRegExp | undefined {
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
      const consuming = this.#followEmptySteps(places, { chars, at, seen, budget });
      if (!consuming) return true;
      const char = chars[at];
      places.length = 0;
      for (const { accepts, next } of consuming)
        if (char !== undefined && accepts?.(char)) for (const place of next) places.push(place);
      if (budget.steps < 0) return undefined;
      // A match may begin anywhere.
      places.push(this.#graph.start);
    }
    return false;
  }

  /** Runs all instructions that need no character. Returns those that need one, or `undefined` at a match. Empties `places`. */
  #followEmptySteps(places: Place[], { chars, at, seen, budget }: Position): readonly Place[] | undefined {
    const consuming: Place[] = [];
    for (let place = places.pop(); place; place = places.pop()) {
      budget.steps--;
      if (seen[place.id] === at + 1) continue;
      seen[place.id] = at + 1;
      if (place === this.#graph.end) return undefined;
      if (place.accepts) consuming.push(place);
      else if (!place.assertion || isAssertionMet(place.assertion, chars, at))
        for (const next of place.next) places.push(next);
    }
    return consuming;
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
  readonly accepts?: (char: string) => boolean;
  readonly assertion?: Where;
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

function isAssertionMet(assertion: Where, chars: readonly string[], at: number): boolean {
  if (assertion === "start") return at === 0;
  if (assertion === "end") return at === chars.length;
  const isBoundary = isWord(chars[at - 1]) !== isWord(chars[at]);
  return isBoundary === (assertion === "boundary");
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}

/** Parses a source that JavaScript accepts as a pattern, so it examines only the characters that separate its parts. */
class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  #offset = 0;
  #groupCount = 0;
  #placeCount = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): Graph | undefined {
    const part = this.#parseChoice();
    if (!part || this.#offset < this.#source.length) return undefined;
    const end = this.#createPlace([]);
    const start = part(end);
    return this.#isFull ? undefined : { start, end, size: this.#placeCount };
  }

  get #isFull(): boolean {
    return this.#placeCount > MAX_INSTRUCTIONS;
  }

  #createPlace(next: readonly Place[], action: Pick<Place, "accepts" | "assertion"> = {}): Place {
    return { id: this.#placeCount++, ...action, next };
  }

  #parseChoice(): Part | undefined {
    const alternatives: Part[] = [];
    do {
      const alternative = this.#parseSequence();
      if (!alternative) return undefined;
      alternatives.push(alternative);
    } while (this.#skipText("|"));
    const [only, second] = alternatives;
    return only && !second ? only : (next) => this.#createPlace(alternatives.map((alternative) => alternative(next)));
  }

  #parseSequence(): Part | undefined {
    const parts: Part[] = [];
    while (this.#offset < this.#source.length && !"|)".includes(this.#source.charAt(this.#offset))) {
      const part = this.#part();
      if (!part) return undefined;
      parts.push(this.#parseQuantifier(part));
    }
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #part(): Part | undefined {
    for (const [sign, assertion] of ASSERTIONS)
      if (this.#skipText(sign)) return (next) => this.#createPlace([next], { assertion });
    if (this.#skipText("(")) return this.#parseGroup();
    const atom = this.#matchSticky(ATOM);
    const isAccepted = atom === undefined ? undefined : compileAtom(atom, this.#flags);
    return isAccepted && ((next) => this.#createPlace([next], { accepts: isAccepted }));
  }

  #parseGroup(): Part | undefined {
    if (++this.#groupCount > MAX_GROUPS) return undefined;
    const isPlain =
      this.#skipText("?:") || this.#matchSticky(GROUP_NAME) !== undefined || this.#source[this.#offset] !== "?";
    const inner = isPlain ? this.#parseChoice() : undefined;
    return inner && this.#skipText(")") ? inner : undefined;
  }

  #parseQuantifier(part: Part): Part {
    const sign = this.#matchSticky(QUANTIFIER);
    if (sign === undefined) return part;
    const [, least, comma, most] = /(\d+)(,?)(\d*)/.exec(sign) ?? [];
    if (least === undefined)
      return this.#repeatPart(part, sign.startsWith("+") ? 1 : 0, sign.startsWith("?") ? 1 : Infinity);
    return this.#repeatPart(part, Number(least), comma === "" ? Number(least) : Number(most || Infinity));
  }

  #repeatPart(part: Part, min: number, max: number): Part {
    return (next) => {
      let at = next;
      if (max === Infinity) {
        at = this.#createPlace([]);
        at.next = [part(at), next];
      } else for (let times = min; times < max && !this.#isFull; times++) at = this.#createPlace([part(at), next]);
      for (let times = 0; times < min && !this.#isFull; times++) {
        const cached = part(at);
        // Nothing, however often.
        if (cached === at) break;
        at = cached;
      }
      return at;
    };
  }

  #skipText(text: string): boolean {
    if (!this.#source.startsWith(text, this.#offset)) return false;
    this.#offset += text.length;
    return true;
  }

  #matchSticky(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#offset;
    const found = sticky.exec(this.#source)?.[0];
    this.#offset += found?.length ?? 0;
    return found;
  }
}

const ASSERTIONS: readonly (readonly [sign: string, where: Where])[] = [
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
  const pattern = new RegExp(`^(?:${atom})$`, flags);
  const cache = new Map<string, boolean>();
  return (char) => {
    const cached = cache.get(char);
    if (cached !== undefined) return cached;
    const isAccepted = pattern.test(char);
    if (cache.size < MAX_KNOWN) cache.set(char, isAccepted);
    return isAccepted;
  };
}

const MAX_KNOWN = 256;
