// Reads the operands of a SQL condition: values, names, brackets and their operators. Evaluates no condition.

import { applySigns, type Judged, join, type Span, toKnown } from "./constants.ts";
import type { SqlStatements } from "./SqlStatements.ts";
import type { SqlToken } from "./tokenizeSql.ts";

/** A value and its position. */
export type Value = Span & Judged;

/** Maximum nesting of brackets and negations; nobody writes more by hand. */
export const MOST_NESTED = 40;
const NILADIC = /^(?:CURRENT_\w+|LOCALTIME\w*|SESSION_USER|SYSDATE|SYSTIMESTAMP)$/;
/** Words that belong to an expression and name nothing. */
const PLAIN =
  /^(?:AND|OR|NOT|XOR|NULL|TRUE|FALSE|UNKNOWN|IS|IN|I?LIKE|GLOB|MATCH|REGEXP|RLIKE|SIMILAR|BETWEEN|CASE|WHEN|THEN|ELSE|END|AS|SELECT|DISTINCT|ALL|ANY|SOME|EXISTS|CAST|INTERVAL|DIV|MOD)$/;
/** Reads operands from an index on; a subclass evaluates conditions in brackets. */
export abstract class OperandReader {
  protected readonly of: SqlStatements;
  protected at: number;
  /** Number of open brackets; beyond `MOST_NESTED` it no longer changes, and the result is discarded. */
  protected depth = 0;

  constructor(of: SqlStatements, at: number) {
    this.of = of;
    this.at = at;
  }

  protected abstract either(): Value;
  protected abstract negated(): Value;
  /** Reads the subquery of `EXISTS` in the bracket at `opening`. */
  protected abstract exists(opening: number): Judged;

  /** Values joined by operators without a truth value: arithmetic, concatenation, JSON paths. */
  protected operand(): Value {
    const from = this.at;
    let value = this.#signed();
    while (this.#binds()) {
      this.at++;
      value = { ...join(value, this.#signed()), from, to: this.at };
    }
    return value;
  }

  #binds(): boolean {
    const { type, text } = this.of.at(this.at);
    if (type === "word") return text === "DIV" || text === "MOD";
    if (type !== "sign" || text === "&&" || (text === "||" && this.of.dialect.pipesAreOr)) return false;
    return /^(?:[-+*/%|&^~#@?!]|->>?|\|\|)$/.test(text);
  }

  #signed(): Value {
    const from = this.at;
    while (this.#isPrefix()) this.at++;
    if (this.at === from) return this.#afterwards(this.#primary());
    const signs = this.of.tokens.slice(from, this.at).map((token) => token.text);
    const value = this.#afterwards(this.#primary());
    return { ...applySigns(signs, value), from, to: this.at };
  }

  #isPrefix(): boolean {
    const { type, text } = this.of.at(this.at);
    return type === "sign" && text !== "" && !"(),;.]".includes(text);
  }

  /** Casts, list indexes, collations: none of them makes a column value a constant. */
  #afterwards(value: Value): Value {
    for (;;) {
      if (this.of.isSign(this.at, "::")) {
        this.at += 2;
        if (this.of.isSign(this.at, "(")) this.at = this.of.closing(this.at) + 1;
      } else if (this.of.isSign(this.at, "[")) {
        while (this.at < this.of.tokens.length && !this.of.isSign(this.at, "]")) this.at++;
        this.at++;
      } else if (this.of.word(this.at) === "COLLATE") this.at += 2;
      else return this.at > value.to ? { ...value, to: this.at } : value;
    }
  }

  #primary(): Value {
    const from = this.at;
    const token = this.of.at(from);
    if (token.type === "sign" && token.text === "(") return this.#bracket();
    const value = token.type === "word" || token.type === "name" ? this.#named() : this.#literal(token);
    return { ...value, from, to: this.at };
  }

  #literal(token: SqlToken): Judged {
    if (token.type === "sign") return { type: "row" };
    this.at++;
    if (token.type === "variable") return { type: "row" };
    if (token.type === "number") return toKnown(Number(token.text.replaceAll("_", "")));
    let text = token.text;
    for (; this.of.at(this.at).type === "string"; this.at++) text += this.of.at(this.at).text;
    return toKnown(text);
  }

  #bracket(): Value {
    const opening = this.at;
    const word = this.of.word(opening + 1);
    if (word === "SELECT" || word === "WITH" || word === "VALUES")
      return { ...this.skipBracket(opening), from: opening, to: this.at };
    if (this.depth > MOST_NESTED || ++this.depth > MOST_NESTED)
      return { ...this.skipBracket(opening), from: opening, to: this.at };
    this.at++;
    let value = this.either();
    const several = this.of.isSign(this.at, ",");
    while (this.of.isSign(this.at, ",")) {
      this.at++;
      value = { ...value, ...join(value, this.either()) };
    }
    if (this.depth <= MOST_NESTED) this.depth--;
    const whole = this.at === this.of.closing(opening);
    this.at = this.of.closing(opening) + 1;
    if (whole && !several) return value;
    return { ...(whole || value.type === "row" ? value : { type: "fixed" }), from: opening, to: this.at };
  }

  #named(): Judged {
    const word = this.of.word(this.at);
    if (word === "NULL" || word === "UNKNOWN") return this.#taken(toKnown(null));
    if (word === "TRUE" || word === "FALSE") return this.#taken(toKnown(word === "TRUE"));
    if (word === "NOT") return this.negated();
    if (word === "CASE") return this.#case();
    if (word === "BINARY" || word === "PRIOR") return this.#taken(undefined) ?? this.#primary();
    if (NILADIC.test(word)) return this.#taken({ type: "fixed" });
    if (word !== "" && this.of.at(this.at + 1).type === "string") {
      this.at++;
      const text = this.#literal(this.of.at(this.at));
      return word === "N" || word === "E" ? text : { type: "fixed" };
    }
    this.at++;
    if (word === "EXISTS" && this.of.isSign(this.at, "(")) return this.exists(this.at);
    while (this.of.isSign(this.at, ".")) this.at += 2;
    return this.of.isSign(this.at, "(") ? this.skipBracket(this.at) : { type: "row" };
  }

  #taken<T extends Judged | undefined>(value: T): T {
    this.at++;
    return value;
  }

  #case(): Judged {
    const from = this.at;
    let open = 0;
    do {
      const word = this.of.word(this.at);
      if (word === "CASE") open++;
      if (word === "END") open--;
      this.at++;
    } while (open > 0 && this.at < this.of.tokens.length);
    return this.#contents(from, this.at);
  }

  protected skipBracket(opening: number): Judged {
    this.at = this.of.closing(opening) + 1;
    return this.#contents(opening, this.at);
  }

  /** Finds if a range of tokens depends on a row: a column, a table, or a parameter. */
  #contents(from: number, to: number): Judged {
    for (let place = from; place < to; place++) {
      const { type, text } = this.of.at(place);
      if (type === "variable" || (type === "name" && !this.#isLabel(place))) return { type: "row" };
      if (type !== "word" || PLAIN.test(text) || NILADIC.test(text) || this.#isLabel(place)) continue;
      if (!this.of.isSign(place + 1, "(") && this.of.at(place + 1).type !== "string") return { type: "row" };
    }
    return { type: "fixed" };
  }

  /** A type after AS or `::`, or a name that is given. */
  #isLabel(place: number): boolean {
    return this.of.word(place - 1) === "AS" || this.of.isSign(place - 1, "::");
  }

  protected skip(word: string): boolean {
    if (this.of.word(this.at) !== word) return false;
    this.at++;
    return true;
  }
}
