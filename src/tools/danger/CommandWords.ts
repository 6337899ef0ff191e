// The words behind a program's name, as programs read them: flags in one word, long ones shortened, values, operands. Knows no program.

export class CommandWords {
  readonly words: readonly string[];
  /** Words that are no flags; a value of a flag counts among them, since only its program knows better. */
  readonly operands: readonly string[];
  readonly #flags: readonly string[];

  constructor(words: readonly string[]) {
    this.words = words;
    const end = words.indexOf("--");
    const before = end < 0 ? words : words.slice(0, end);
    this.#flags = before.filter((word) => word.length > 1 && word.startsWith("-"));
    this.operands = [
      ...before.filter((word) => word === "-" || !word.startsWith("-")),
      ...(end < 0 ? [] : words.slice(end + 1)),
    ];
  }

  /** The place of the first word that is neither a flag nor the value of one of the flags that take the next word. */
  afterFlags(letters: string, ...longs: readonly string[]): number {
    let at = 0;
    for (let word = this.words[at]; word !== undefined; word = this.words[at]) {
      if (word === "--") return at + 1;
      if (word === "-" || !/^[-+]/.test(word)) return at;
      const takes = word.startsWith("--")
        ? longs.includes(word.slice(2))
        : letters.includes(word.charAt(word.length - 1));
      at += takes ? 2 : 1;
    }
    return at;
  }

  /** Whether one of the letters is a flag, alone or among others in one word. */
  letter(letters: string): boolean {
    return this.#flags.some((flag) => !flag.startsWith("--") && [...flag].some((letter) => letters.includes(letter)));
  }

  /** Whether a long flag stands there, whole, shortened to a beginning of its own, with a value or with one dash. */
  long(...names: readonly string[]): boolean {
    return this.#flags.some((flag) => {
      const [name = ""] = flag.replace(/^--?/, "").split("=", 1);
      const shortened = flag.startsWith("--") && name.length > 1;
      return names.some((long) => long === name || (shortened && long.startsWith(name)));
    });
  }

  /**
   * The values of a flag: `-dVALUE`, `-d VALUE`, `--data=VALUE`, `--data VALUE`. `valued` are the letters that take the rest of their
   * word, or the next one.
   */
  values(letter: string, long: string, valued: string): readonly string[] {
    return this.words.flatMap((word, index) => {
      const next = this.words[index + 1] ?? "";
      if (word.startsWith("--")) {
        const [name = ""] = word.slice(2).split("=", 1);
        if (name.length < 2 || !(long.startsWith(name) || name.startsWith(`${long}-`))) return [];
        return [word.includes("=") ? word.slice(name.length + 3) : next];
      }
      if (!word.startsWith("-")) return [];
      const at = [...word].findIndex((one, place) => place > 0 && valued.includes(one));
      return at > 0 && word[at] === letter ? [word.slice(at + 1) || next] : [];
    });
  }
}
