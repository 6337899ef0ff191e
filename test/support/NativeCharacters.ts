// Counts the characters that native functions go over, told from what they are given and give back.

/** Characters that cost as much as one executed block of code: a search compares many at a time, a reader one. */
const SEARCHED_A_BLOCK = 8;
const READ_A_BLOCK = 2;

/** What it costs to call one, however short the text is. */
const CALL_BLOCKS = 8;

type Native = (this: unknown, ...given: readonly unknown[]) => unknown;
type Characters = (self: unknown, given: readonly unknown[], result: unknown) => number;

/** From here until `restore` the native functions count. Slices are not counted: they share what they are taken from. */
export class NativeCharacters {
  #searched = 0;
  #read = 0;
  #calls = 0;
  readonly #undo: (() => void)[] = [];

  constructor() {
    const { indexOf } = String.prototype;
    const passed: Characters = (self, [needle, from]) => {
      const text = String(self);
      const start = typeof from === "number" ? Math.max(0, from) : 0;
      const at: number = Reflect.apply(indexOf, text, [needle, start]);
      return Math.max(0, (at < 0 ? text.length : at) - start);
    };
    const whole: Characters = (self) => String(self).length;
    const result: Characters = (_, __, made) => String(made).length;
    for (const name of ["indexOf", "includes"]) this.#search(String.prototype, name, passed);
    for (const name of ["lastIndexOf", "replaceAll", "split", "toLowerCase", "toUpperCase", "normalize"])
      this.#search(String.prototype, name, whole);
    for (const name of ["trim", "trimStart", "trimEnd"])
      this.#search(String.prototype, name, (self, _, made) => String(self).length - String(made).length);
    this.#search(Array.prototype, "join", result);
    this.#replace(JSON, "stringify", (native) => this.#counted(native, result, true));
    this.#replace(JSON, "parse", (native) => this.#counted(native, (_, [text]) => String(text).length, true));
    this.#replace(RegExp.prototype, "exec", (native) => this.#pattern(native));
  }

  get blocks(): number {
    return Math.ceil(this.#searched / SEARCHED_A_BLOCK + this.#read / READ_A_BLOCK) + CALL_BLOCKS * this.#calls;
  }

  restore(): void {
    for (const undo of this.#undo) undo();
  }

  /** Replacing, splitting and testing by a pattern comes here, too. One that is held to its place and fails there is taken to fail at once. */
  #pattern(native: Native): Native {
    const count = (characters: number): void => {
      this.#read += characters;
      this.#calls += 1;
    };
    return function exec(this: unknown, text) {
      if (!(this instanceof RegExp)) throw new TypeError("This is no pattern.");
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match: unknown = Reflect.apply(native, this, [text]);
      if (Array.isArray(match)) count(Number(Reflect.get(match, "index")) - from + String(match[0]).length);
      else count(this.sticky || this.source.startsWith("^") ? 0 : String(text).length - from);
      return match;
    };
  }

  #search(owner: object, name: string, characters: Characters): void {
    this.#replace(owner, name, (native) => this.#counted(native, characters, false));
  }

  #counted(native: Native, characters: Characters, isRead: boolean): Native {
    const count = (number: number): void => {
      if (isRead) this.#read += number;
      else this.#searched += number;
      this.#calls += 1;
    };
    return function counted(this: unknown, ...given) {
      const result = Reflect.apply(native, this, given);
      count(characters(this, given, result));
      return result;
    };
  }

  #replace(owner: object, name: string, make: (native: Native) => Native): void {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof before?.value !== "function") throw new Error(`There is no ${name}.`);
    Object.defineProperty(owner, name, { ...before, value: make(before.value as Native) });
    this.#undo.push(() => Object.defineProperty(owner, name, before));
  }
}
