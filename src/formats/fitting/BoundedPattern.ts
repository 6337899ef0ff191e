// A `pattern` of a client's schema, run in time that its length and the text's bound: all ways at once, none tried again. Knows no schema.

/** Steps that are left; whoever spends them counts them here. */
export interface StepBudget {
  steps: number;
}

/**
 * JavaScript's own engine tries one way after the other, and `^(a|a)*$` has 2^n of them. This one holds the set of places in the pattern
 * that the text so far may have led to. What needs memory of the text is not run: back references and looking around. Neither is a
 * pattern of more than 2,000 instructions with its counts written out.
 */
export class BoundedPattern {
  readonly #program: readonly Instruction[];
  readonly #isUnicode: boolean;

  private constructor(program: readonly Instruction[], isUnicode: boolean) {
    this.#program = program;
    this.#isUnicode = isUnicode;
  }

  /** `undefined` for what is no pattern, and for what is not run. */
  static of(source: string): BoundedPattern | undefined {
    const flags = source.length > MAX_SOURCE ? undefined : ["u", ""].find((one) => isPattern(source, one));
    const program = flags === undefined ? undefined : new PatternCompiler(source, flags).compile();
    return program && new BoundedPattern(program, flags === "u");
  }

  /** Instructions. */
  get size(): number {
    return this.#program.length;
  }

  /** Whether the pattern matches somewhere in `text`; `undefined` where the steps do not reach. One step is one instruction for one character. */
  test(text: string, budget: StepBudget): boolean | undefined {
    budget.steps -= text.length;
    if (budget.steps < 0) return undefined;
    const chars = this.#isUnicode ? [...text] : text.split("");
    const seen = new Uint32Array(this.#program.length);
    const places = [0];
    for (let at = 0; at <= chars.length; at++) {
      const reading = this.#follow(places, { chars, at, seen, budget });
      if (!reading) return true;
      const char = chars[at];
      places.length = 0;
      for (const read of reading) if (char !== undefined && read.takes(char)) places.push(read.next);
      if (budget.steps < 0) return undefined;
      // A match may begin anywhere.
      places.push(0);
    }
    return false;
  }

  /** What waits for a character once everything that needs none is done; `undefined` at a match. Empties `places`. */
  #follow(places: number[], { chars, at, seen, budget }: Position): readonly Read[] | undefined {
    const reading: Read[] = [];
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (seen[place] === at + 1) continue;
      seen[place] = at + 1;
      budget.steps--;
      const instruction = this.#program[place];
      if (!instruction) return undefined;
      if (instruction.type === "read") reading.push(instruction);
      else if (instruction.type === "split") for (const next of instruction.next) places.push(next);
      else if (holds(instruction.where, chars, at)) places.push(place + 1);
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

interface Read {
  readonly type: "read";
  readonly takes: (char: string) => boolean;
  readonly next: number;
}

type Where = "start" | "end" | "boundary" | "inside";

/** The end of the program is the match. */
type Instruction =
  | Read
  | { readonly type: "split"; readonly next: readonly number[] }
  | { readonly type: "check"; readonly where: Where };

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

type Node =
  | { readonly type: "atom"; readonly takes: (char: string) => boolean }
  | { readonly type: "check"; readonly where: Where }
  | { readonly type: "sequence"; readonly parts: readonly Node[] }
  | { readonly type: "choice"; readonly ways: readonly Node[] }
  | { readonly type: "repeat"; readonly part: Node; readonly min: number; readonly max: number };

/** Reads a source that JavaScript takes for a pattern, so it looks only at what tells its parts from each other. */
class PatternCompiler {
  readonly #source: string;
  readonly #flags: string;
  readonly #program: Instruction[] = [];
  #at = 0;
  #groups = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  compile(): readonly Instruction[] | undefined {
    const node = this.#choice();
    return node && this.#at === this.#source.length && this.#emit(node) ? this.#program : undefined;
  }

  #choice(): Node | undefined {
    const ways: Node[] = [];
    do {
      const way = this.#sequence();
      if (!way) return undefined;
      ways.push(way);
    } while (this.#take("|"));
    return { type: "choice", ways };
  }

  #sequence(): Node | undefined {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) {
      const part = this.#part();
      if (!part) return undefined;
      parts.push(this.#repeated(part));
    }
    return { type: "sequence", parts };
  }

  #part(): Node | undefined {
    if (this.#take("^")) return { type: "check", where: "start" };
    if (this.#take("$")) return { type: "check", where: "end" };
    if (this.#take("\\b")) return { type: "check", where: "boundary" };
    if (this.#take("\\B")) return { type: "check", where: "inside" };
    if (this.#take("(")) return this.#group();
    const atom = this.#match(ATOM);
    return atom === undefined ? undefined : { type: "atom", takes: takerOf(atom, this.#flags) };
  }

  #group(): Node | undefined {
    if (++this.#groups > MAX_GROUPS) return undefined;
    const isPlain = this.#take("?:") || this.#match(GROUP_NAME) !== undefined || this.#source[this.#at] !== "?";
    const inner = isPlain ? this.#choice() : undefined;
    return inner && this.#take(")") ? inner : undefined;
  }

  #repeated(part: Node): Node {
    const sign = this.#match(QUANTIFIER);
    if (sign === undefined) return part;
    const [, least, comma, most] = /(\d+)(,?)(\d*)/.exec(sign) ?? [];
    if (least === undefined) {
      return { type: "repeat", part, min: sign.startsWith("+") ? 1 : 0, max: sign.startsWith("?") ? 1 : Infinity };
    }
    return { type: "repeat", part, min: Number(least), max: comma === "" ? Number(least) : Number(most || Infinity) };
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

  /** False where the program grows too long. */
  #emit(node: Node): boolean {
    const program = this.#program;
    if (program.length > MAX_INSTRUCTIONS) return false;
    switch (node.type) {
      case "atom":
        return program.push({ type: "read", takes: node.takes, next: program.length + 1 }) > 0;
      case "check":
        return program.push(node) > 0;
      case "sequence":
        return node.parts.every((part) => this.#emit(part));
      case "choice":
        return this.#emitChoice(node.ways);
      case "repeat":
        return this.#emitRepeat(node);
      default:
        return node satisfies never;
    }
  }

  #emitChoice(ways: readonly Node[]): boolean {
    const [way, ...others] = ways;
    if (!way) return true;
    if (others.length === 0) return this.#emit(way);
    const split = this.#hole();
    const first = this.#program.length;
    if (!this.#emit(way)) return false;
    const jump = this.#hole();
    this.#program[split] = { type: "split", next: [first, this.#program.length] };
    if (!this.#emitChoice(others)) return false;
    this.#program[jump] = { type: "split", next: [this.#program.length] };
    return true;
  }

  #emitRepeat({ part, min, max }: { part: Node; min: number; max: number }): boolean {
    for (let times = 0; times < min; times++) if (!this.#emit(part)) return false;
    if (max === Infinity) {
      const split = this.#hole();
      if (!this.#emit(part)) return false;
      this.#program.push({ type: "split", next: [split] });
      this.#program[split] = { type: "split", next: [split + 1, this.#program.length] };
      return true;
    }
    const splits: number[] = [];
    for (let times = min; times < max; times++) {
      splits.push(this.#hole());
      if (!this.#emit(part)) return false;
    }
    for (const split of splits) this.#program[split] = { type: "split", next: [split + 1, this.#program.length] };
    return true;
  }

  /** The place of an instruction that is written once it is known where it leads. */
  #hole(): number {
    return this.#program.push({ type: "split", next: [] }) - 1;
  }
}

/** A class, an escape but for back references, a dot, or a character for itself. */
const ATOM =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?!\d)|[^1-9kbBpPcx0])|[^\\^$|()[*+?]/uy;
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const GROUP_NAME = /\?<[^=!>][^>]*>/y;

/** One character at a time JavaScript's engine has nothing to try again. */
function takerOf(atom: string, flags: string): (char: string) => boolean {
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
