// Python's literal values from a cursor, as JSON text. Knows calls only as something that somebody else reads.
import { maxJsonDepth, maxMendedValues } from "./bodyLimits.ts";
import type { PythonCursor } from "./PythonCursor.ts";
import { literalOfWord, readName, readNumber, skipSpace, startsString } from "./pythonLiterals.ts";
import {
  bareEnd,
  closesValue,
  endsValue,
  isBareString,
  isDoubtfulWord,
  isPlainText,
  type Slot,
} from "./pythonTolerance.ts";

/** How the values since the last reset were written: what a doubtful bare word is judged by. */
interface ValueStyle {
  readonly quoted: number;
  readonly bare: number;
  readonly doubtful: number;
}

type Braces =
  | { readonly type: "dict"; readonly members: readonly { readonly key: string; readonly json: string }[] }
  | { readonly type: "set"; readonly elements: readonly string[] };

/** Reads one value at a time; `undefined` where there is none that is a literal. */
export class PythonValues {
  readonly #cursor: PythonCursor;
  readonly #readCall: (name: string, depth: number) => string | undefined;
  #style: ValueStyle = { quoted: 0, bare: 0, doubtful: 0 };
  #read = 0;

  /** `readCall` reads a nested call from behind its `(` and gives its value, or refuses it. */
  constructor(cursor: PythonCursor, readCall: (name: string, depth: number) => string | undefined) {
    this.#cursor = cursor;
    this.#readCall = readCall;
  }

  /** More was read than one body may hold. */
  get isOverlong(): boolean {
    return this.#read > maxMendedValues;
  }

  takeStyle(): ValueStyle {
    const style = this.#style;
    this.#style = { quoted: 0, bare: 0, doubtful: 0 };
    return style;
  }

  value(depth: number, slot: Slot): string | undefined {
    const cursor = this.#cursor;
    this.#read++;
    if (depth > maxJsonDepth || this.isOverlong) return undefined;
    if (cursor.take("[")) return this.#sequence("]", depth + 1)?.json;
    if (cursor.take("(")) return this.#parenthesised(depth + 1);
    if (cursor.take("{")) {
      const braces = this.braces(depth + 1);
      return braces && jsonOfBraces(braces);
    }
    if (startsString(cursor.text, cursor.at)) return this.#strings(slot);
    const start = cursor.at;
    const plain = this.#scalar(depth);
    if (cursor.tolerance === "strict" || (plain !== undefined && endsValue(cursor.text, cursor.at, slot))) return plain;
    cursor.at = start;
    return this.#bareWords(slot);
  }

  /** A dict or a set, from behind its `{`. */
  braces(depth: number): Braces | undefined {
    const cursor = this.#cursor;
    const members: { key: string; json: string }[] = [];
    const elements: string[] = [];
    for (let more = true; ; more = cursor.take(",")) {
      cursor.space();
      if (cursor.take("}")) break;
      if (!more) return undefined;
      const bareKey = cursor.takeKeyword();
      const key = bareKey === undefined ? this.value(depth, { type: "key" }) : JSON.stringify(bareKey);
      if (key === undefined) return undefined;
      cursor.space();
      if (bareKey !== undefined || cursor.take(":")) {
        cursor.space();
        const json = this.value(depth, { type: "member" });
        if (json === undefined || !/^["\d-]/.test(key)) return undefined;
        members.push({ key: key.startsWith('"') ? JSON.parse(key) : key, json });
      } else elements.push(key);
      cursor.space();
    }
    if (elements.length === 0) return { type: "dict", members };
    return members.length === 0 ? { type: "set", elements } : undefined;
  }

  #sequence(closer: string, depth: number): { readonly json: string; readonly single: string | undefined } | undefined {
    const cursor = this.#cursor;
    const elements: string[] = [];
    for (;;) {
      cursor.space();
      if (cursor.take(closer)) return { json: `[${elements.join(",")}]`, single: undefined };
      const element = this.value(depth, { type: "element", closer });
      if (element === undefined) return undefined;
      elements.push(element);
      cursor.space();
      if (cursor.take(",")) continue;
      if (!cursor.take(closer)) return undefined;
      return { json: `[${elements.join(",")}]`, single: elements.length === 1 ? element : undefined };
    }
  }

  /** A tuple is an array; parentheses around one value without a comma are nothing. */
  #parenthesised(depth: number): string | undefined {
    const sequence = this.#sequence(")", depth);
    return sequence?.single ?? sequence?.json;
  }

  /** Strings side by side or joined by `+` are one. */
  #strings(slot: Slot): string | undefined {
    const cursor = this.#cursor;
    let value = "";
    for (;;) {
      const read = cursor.takeString((after) => closesValue(cursor.text, after, slot));
      if (!read) return undefined;
      value += read.value;
      const next = skipSpace(cursor.text, cursor.at);
      const plus = cursor.text[next] === "+";
      const start = plus ? skipSpace(cursor.text, next + 1) : next;
      if (startsString(cursor.text, start)) {
        cursor.at = start;
        continue;
      }
      this.#style = { ...this.#style, quoted: this.#style.quoted + 1 };
      return plus ? undefined : JSON.stringify(value);
    }
  }

  /** A number, a literal word, `dict(…)` or a nested call. */
  #scalar(depth: number): string | undefined {
    const cursor = this.#cursor;
    const number = readNumber(cursor.text, cursor.at);
    if (number) {
      cursor.at = number.end;
      return number.json;
    }
    const minus = cursor.take("-");
    const name = cursor.takeCallee();
    if (name !== undefined) return minus ? undefined : this.#readCall(name, depth);
    const word = readName(cursor.text, cursor.at);
    if (!word) return undefined;
    cursor.at = word.end;
    const json = literalOfWord(word.name);
    if (!minus || json === undefined) return json;
    return json.startsWith('"') ? `"-${json.slice(1)}` : undefined;
  }

  #bareWords(slot: Slot): string | undefined {
    const cursor = this.#cursor;
    const end = bareEnd(cursor.text, cursor.at, slot);
    if (end === undefined) return undefined;
    const words = cursor.text.slice(cursor.at, end).trim();
    if (isBareString(words)) this.#style = { ...this.#style, bare: this.#style.bare + 1 };
    else if (cursor.tolerance === "bare" && isPlainText(words))
      this.#style = { ...this.#style, bare: this.#style.bare + 1 };
    else if (cursor.tolerance === "unquoted" && isDoubtfulWord(words)) {
      this.#style = { ...this.#style, doubtful: this.#style.doubtful + 1 };
    } else return undefined;
    cursor.at = end;
    cursor.noteRepairs(["bare-word"]);
    return JSON.stringify(words);
  }
}

export function jsonOfBraces(braces: Braces): string {
  if (braces.type === "set") return `[${braces.elements.join(",")}]`;
  return `{${braces.members.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}
