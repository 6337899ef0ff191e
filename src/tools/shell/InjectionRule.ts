// Rules for the positions among a program's arguments where no value of a call is allowed.

/** Represents a placeholder in an argument. */
export const MARK = "\0";

/** A position among the arguments, or standard input, with the reason why no value of a call is allowed there. */
export interface Forbidden {
  readonly at: number | "stdin";
  readonly why: string;
  /** Sentence that says what to write instead, if the usual advice does not apply. */
  readonly instead?: string | undefined;
  /** True if a path parameter (`format: path`) is allowed there nevertheless. */
  readonly unlessPath?: true | undefined;
}

/**
 * Returns the forbidden positions of a program, given its arguments with a marker for each placeholder. Positions without a
 * marker are ignored.
 */
export type InjectionRule = (words: readonly string[]) => readonly Forbidden[];

/** Forbids every position. */
export function forbidAll(why: string): InjectionRule {
  return (words) => [...words.map((_, at) => ({ at, why })), { at: "stdin", why }];
}

export interface CodePlaces {
  readonly why: string;
  /** Letters and long names of switches whose value is code, a program or a file of either. */
  readonly letters?: string | undefined;
  readonly longs?: readonly string[] | undefined;
  /** Letters and long names of other switches that take the next word. */
  readonly valued?: string | undefined;
  readonly valuedLongs?: readonly string[] | undefined;
  /** Number of leading operands that are code, or name it, unless a switch supplied it. */
  readonly operands?: number | undefined;
  /** True if the arguments after those belong to the script. */
  readonly runsScript?: true | undefined;
  /** Switches of any length and other words after which everything is code. */
  readonly behind?: RegExp | undefined;
  /** Letters of switches by which it reads code from its standard input, whatever else is given. */
  readonly reads?: string | undefined;
}

/** Standard input is code too, if a script is expected and none is named. */
export function forbidCode(places: CodePlaces): InjectionRule {
  const { why, letters = "", longs = [], valued = "", valuedLongs = [], operands = 0, behind, reads = "" } = places;
  return (words) => {
    const found: Forbidden[] = [];
    const forbid = (at: number | "stdin"): number => found.push({ at, why });
    let left = operands;
    let brought = false;
    let ended = false;
    let input = operands > 0;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? "";
      if (behind?.test(word)) {
        for (let rest = at + 1; rest <= words.length; rest++) forbid(rest);
        return found;
      }
      if (!ended && word === "--") ended = true;
      else if (!ended && word.startsWith("-") && word.length > 1) {
        const read = readSwitch(word, { letters, longs, valued, valuedLongs });
        if (read.holds === "code") {
          forbid(read.inNext ? at + 1 : at);
          brought = true;
          input &&= isInput(words[at + 1] ?? "");
          if (places.runsScript) for (let rest = at + 1; rest < words.length; rest++) forbid(rest);
        }
        if ([...reads].some((letter) => !word.startsWith("--") && word.includes(letter))) forbid("stdin");
        if (read.inNext) at++;
      } else if (left > 0 && !brought) {
        forbid(at);
        left--;
        input = isInput(word);
        if (left === 0 && places.runsScript) break;
      }
    }
    if (input) forbid("stdin");
    return found;
  };
}

type Switches = Required<Pick<CodePlaces, "valuedLongs">> & {
  readonly letters: string;
  readonly longs: readonly string[];
  readonly valued: string;
};

function readSwitch(word: string, { letters, longs, valued, valuedLongs = [] }: Switches) {
  if (word.startsWith("--")) {
    const [name = ""] = word.slice(2).split("=", 1);
    const inNext = !word.includes("=");
    // Long names may be shortened.
    if (name.length > 1 && longs.some((long) => long.startsWith(name))) return { holds: "code", inNext } as const;
    return { holds: "data", inNext: inNext && valuedLongs.includes(name) } as const;
  }
  const at = [...word].findIndex((letter, place) => place > 0 && (letters + valued).includes(letter));
  if (at < 0) return { holds: "data", inNext: false } as const;
  const inNext = at === word.length - 1;
  return { holds: letters.includes(word.charAt(at)) ? "code" : "data", inNext } as const;
}

/** Returns true if the word is a name of standard input. */
function isInput(word: string): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(word);
}

/** Forbids the positions of all rules. */
export function combineRules(...rules: readonly InjectionRule[]): InjectionRule {
  return (words) => rules.flatMap((rule) => rule(words));
}

/** Forbids values at the beginning of an operand. */
export function forbidWholeWords(why: string): InjectionRule {
  return (words) => words.flatMap((word, at) => (word.startsWith(MARK) ? [{ at, why }] : []));
}

/** Forbids values after one of these names. */
export function forbidValues(names: RegExp, why: string): InjectionRule {
  return (words) =>
    words.flatMap((word, at) => (names.test(word) ? [{ at: word.includes("=") ? at : at + 1, why }] : []));
}
