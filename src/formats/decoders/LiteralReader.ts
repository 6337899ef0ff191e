// Reads values with brackets and commas as models write them: the base of the readers for Python, brace literals and YAML's flow style.
// Each subclass reads its own space, members and scalars. The result is written as strict JSON at once.
import { maxMendedValues } from "./bodyLimits.ts";
import type { Argument } from "./CallCandidate.ts";

/** A value as the wire has it. */
export type Literal = Omit<Argument, "key">;

/** Position of a value, which decides what may follow it. */
export interface LiteralPosition {
  readonly type: "argument" | "element" | "key" | "member";
  readonly closer: string;
  /** The argument's key, and the parameters that its tool has. */
  readonly key?: string | undefined;
  readonly known?: ReadonlySet<string> | undefined;
}

/** A text with the offset up to which it was read. Its methods return `undefined` if the text is refused. */
export abstract class LiteralReader {
  readonly text: string;
  at = 0;
  readonly #levels: number;
  #values = 0;
  #repairs = new Set<string>();

  constructor(text: string, levels: number) {
    this.text = text;
    this.#levels = levels;
  }

  /** Moves over text between tokens that has no meaning. */
  abstract space(): void;
  /** A value without brackets. */
  protected abstract scalar(depth: number, place: LiteralPosition): Literal | undefined;
  /** One member between braces; without a key it belongs to a set. */
  protected abstract member(depth: number): Argument | undefined;

  /** True if the body has more values than allowed. */
  get isOverlong(): boolean {
    return this.#values > maxMendedValues;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  value(depth: number, place: LiteralPosition): Literal | undefined {
    this.#values++;
    if (depth > this.#levels || this.isOverlong) return undefined;
    if (this.take("["))
      return toListLiteral(this.items("]", () => this.value(depth + 1, { type: "element", closer: "]" })));
    return this.take("{") ? toMapLiteral(this.members(depth + 1)) : this.scalar(depth, place);
  }

  /** Reads the members between braces. The cursor is after the opening brace. */
  members(depth: number): readonly Argument[] | undefined {
    return this.items("}", () => this.member(depth));
  }

  /** Reads items between commas and takes `closer`. `ends` returns true if the closer may be missing. */
  items<Item>(closer: string, one: () => Item | undefined, ends = () => false): readonly Item[] | undefined {
    const items: Item[] = [];
    for (;;) {
      this.space();
      if (this.take(closer) || ends()) return items;
      const item = one();
      if (item === undefined) return undefined;
      items.push(item);
      this.space();
      if (!this.take(",") && this.peek() !== closer && !ends()) return undefined;
    }
  }

  peek(): string {
    return this.text.charAt(this.at);
  }

  take(marker: string): boolean {
    if (!this.text.startsWith(marker, this.at)) return false;
    this.at += marker.length;
    return true;
  }

  /** Takes the match of a sticky pattern at the cursor. */
  match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.at;
    const match = sticky.exec(this.text) ?? undefined;
    if (match) this.at += match[0].length;
    return match;
  }

  /** Returns true if a sticky pattern matches at the cursor or at another offset. */
  sees(sticky: RegExp, at = this.at): boolean {
    sticky.lastIndex = at;
    return sticky.test(this.text);
  }

  note(...repairs: readonly string[]): void {
    for (const repair of repairs) this.#repairs.add(repair);
  }

  /** The repairs since the last time of asking. */
  takeRepairs(): readonly string[] {
    const repairs = [...this.#repairs];
    this.#repairs.clear();
    return repairs;
  }
}

export function toLiteral(json: string): Literal {
  return { value: json, form: "json" };
}

function toJson({ value, form }: Literal): string {
  return form === "json" ? value : JSON.stringify(value);
}

export function toListLiteral(values: readonly Literal[] | undefined): Literal | undefined {
  return values && toLiteral(`[${values.map(toJson).join(",")}]`);
}

/** Returns an object, or a list if no member has a key; undefined if only some have one. */
export function toMapLiteral(members: readonly Argument[] | undefined): Literal | undefined {
  if (!members?.some((member) => member.key === undefined))
    return members && toLiteral(`{${members.map((one) => `${JSON.stringify(one.key)}:${toJson(one)}`).join(",")}}`);
  return members.some((member) => member.key !== undefined) ? undefined : toListLiteral(members);
}
