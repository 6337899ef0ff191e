// Parses the arguments of a program as options with their values, and operands.

/** The known options of a program. */
export interface KnownOptions {
  readonly known: ReadonlySet<string>;
  /** Options that take a value. */
  readonly valued: ReadonlySet<string>;
  /** Options after whose value no further options follow. */
  readonly last: ReadonlySet<string>;
  readonly style: "single-dash" | "bundled" | undefined;
  readonly stopsAtOperand: boolean;
  /** The long option with this name, or those that it abbreviates. */
  longNames(name: string): readonly string[];
}

export interface GivenOption {
  /** Possible names: one, or several if it is an ambiguous abbreviation. */
  readonly names: readonly string[];
  readonly value: string | undefined;
  /** Index of the argument that contains the value, or of the option if it has none. */
  readonly at: number;
}

export interface Operand {
  readonly word: string;
  readonly at: number;
}

export interface Arguments {
  readonly words: readonly string[];
  readonly options: readonly GivenOption[];
  readonly operands: readonly Operand[];
  /** True if an unknown option precedes the first operand, so that the operand may be its value. */
  readonly guessed: boolean;
}

export interface ReadingWay {
  /** True: an unknown option before the first operand takes the next argument. */
  readonly unknownTakesNext?: boolean | undefined;
  /** True: arguments after the first operand are not parsed. */
  readonly untilOperand?: boolean | undefined;
}

/** Parses in one pass. An unknown option takes no value unless `way` says so. */
export function parseArgv(words: readonly string[], names: KnownOptions, way: ReadingWay = {}): Arguments {
  const options: GivenOption[] = [];
  const operands: Operand[] = [];
  let guessed = false;
  let ended = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const isOption = word.length > 1 && word.startsWith("-");
    if (!ended && word === "--") ended = true;
    else if (ended || !(isOption || (at === 0 && names.style === "bundled"))) {
      operands.push({ word, at });
      if (way.untilOperand) break;
      ended ||= names.stopsAtOperand;
    } else {
      const read = isOption && isLong(word, names) ? readLong(words, at, names) : readLetters(words, at, names);
      for (const option of read.options) options.push(option);
      ended ||= read.options.some((option) => option.names.some((name) => names.last.has(name)));
      at = read.last;
      const isGuess = !read.known && operands.length === 0;
      guessed ||= isGuess;
      if (isGuess && way.unknownTakesNext && !word.includes("=") && !words[at + 1]?.startsWith("-")) at++;
    }
  }
  return { words, options, operands, guessed };
}

interface Read {
  readonly options: readonly GivenOption[];
  /** Index of the last argument that was parsed. */
  readonly last: number;
  readonly known: boolean;
}

function isLong(word: string, { style }: KnownOptions): boolean {
  return word.startsWith("--") || (style === "single-dash" && word.length > 2);
}

function readLong(words: readonly string[], at: number, names: KnownOptions): Read {
  const word = words[at] ?? "";
  const equals = word.indexOf("=");
  const name = word.slice(word.startsWith("--") ? 2 : 1, equals < 0 ? undefined : equals);
  const found = names.longNames(name);
  const known = found.length > 0;
  const takesNext = equals < 0 && found.some((one) => names.valued.has(one));
  const value = equals >= 0 ? word.slice(equals + 1) : takesNext ? words[at + 1] : undefined;
  const last = takesNext ? at + 1 : at;
  return { options: [{ names: known ? found : [name], value, at: last }], last, known };
}

/** `-abVALUE`, `-ab VALUE`; in a bundled first word without a dash each letter with a value takes one of the next arguments. */
function readLetters(words: readonly string[], at: number, names: KnownOptions): Read {
  const word = words[at] ?? "";
  const bundled = !word.startsWith("-");
  // A letter may occur any number of times.
  const seen = new Set<string>();
  const options: GivenOption[] = [];
  let last = at;
  let known = true;
  for (let place = bundled ? 0 : 1; place < word.length; place++) {
    const letter = word.charAt(place);
    if (seen.has(letter) && !names.valued.has(letter)) continue;
    seen.add(letter);
    known &&= names.known.has(letter);
    if (!names.valued.has(letter)) options.push({ names: [letter], value: undefined, at });
    else if (place === word.length - 1 || bundled) options.push({ names: [letter], value: words[++last], at: last });
    else {
      options.push({ names: [letter], value: word.slice(place + 1), at });
      break;
    }
  }
  return { options, last, known };
}

/** Returns true if one of the names is given. */
export function hasOption({ options }: Pick<Arguments, "options">, wanted: ReadonlySet<string>): boolean {
  return options.some(({ names }) => names.some((name) => wanted.has(name)));
}

/** The given options among `wanted`, each with its value. */
export function findOptions(
  { options }: Pick<Arguments, "options">,
  wanted: ReadonlySet<string>,
): readonly GivenOption[] {
  return options.filter(({ names }) => names.some((name) => wanted.has(name)));
}
