// Finds SQL conditions that may hold for every row of a table. Compares tokens and evaluates no expression.
import type { SqlStatements } from "./SqlStatements.ts";

/** Tokens from the first index up to the second one. */
type Span = readonly [from: number, to: number];

/** Maximum nesting of brackets; nobody writes more by hand. */
const MOST_NESTED = 40;
/** Maximum tokens of one test that are compared with another test. */
const MOST_COMPARED = 200;
const LOGIC = /^(?:X?OR|AND)$/;
const COMPARISON = /^(?:[=<>]|[=<>!]=|<=>|<>|IS|IN|I?LIKE|SIMILAR|RLIKE|REGEXP|GLOB|MATCH|BETWEEN|ISNULL|NOTNULL)$/;
/** What a test and its denial differ by. */
const TEST = new RegExp(`${COMPARISON.source}|^(?:[(!)]|NOT|NULL|DISTINCT|FROM)$`);
/** Qualifiers of a row that is not one of the table's. */
const OTHER_ROW = /^(?:NEW|OLD|EXCLUDED)$/;
/** A test with a pattern that any text matches. */
const ANY_TEXT = /(?:LIKE|SIMILAR|REGEXP|GLOB|MATCH) (?:(?:TO|N|E|BINARY) )*(?:'[%*.^$]* )+(?:ESCAPE |$)/;
/** Words that an operand follows. */
const OPERATOR =
  /^(?:X?OR|AND|NOT|IS|IN|I?LIKE|SIMILAR|RLIKE|REGEXP|GLOB|MATCH|BETWEEN|DIV|MOD|COLLATE|ESCAPE|AS|FROM|CASE|WHEN|THEN|ELSE|SELECT|DISTINCT|ALL|ANY|SOME|EXISTS|CAST|INTERVAL|TO|SYMMETRIC|BINARY|PRIOR)$/;
/** Words that end an operand and name no column. */
const CONSTANT =
  /^(?:NULL|TRUE|FALSE|UNKNOWN|END|ISNULL|NOTNULL|CURRENT_\w+|LOCALTIME\w*|SESSION_USER|SYSDATE|SYSTIMESTAMP)$/;
/** Words that limit the rows of a subquery, or join another table. */
const LIMITS = "LIMIT FETCH OFFSET HAVING EXCEPT INTERSECT MINUS JOIN TABLESAMPLE QUALIFY TOP START CONNECT".split(" ");

export class ConditionReader {
  readonly #of: SqlStatements;
  readonly #tables: readonly string[];

  /** @param tables names, in capitals, of the table whose rows the condition selects. */
  constructor(of: SqlStatements, tables: readonly string[] = []) {
    this.#of = of;
    this.#tables = tables;
  }

  /** Returns true if the condition that begins at `from` may hold for every row. */
  mayHoldForAll(from: number, depth = 0): boolean {
    let end = from;
    for (let cases = 0; end < this.#of.tokens.length && !/^[;)]$/.test(this.#sign(end)); end++) {
      const sign = this.#sign(end);
      if (sign === "(") end = this.#of.closing(end);
      else if (sign === "CASE") cases++;
      else if (cases === 0 && /^(?:WHEN|THEN|ELSE|END)$/.test(sign)) break;
      else if (sign === "END") cases--;
      else if (end > from && this.#isName(end) && this.#endsOperand(end - 1)) break;
    }
    // A condition that goes on after its end has an unknown form, and an OR may undo it.
    return this.#of.find(end, "OR", "XOR") !== undefined || !this.#isLimiting([from, end], depth);
  }

  /** Returns true if each alternative limits the rows. In brackets each part of an AND has to, since a NOT may precede them. */
  #isLimiting(span: Span, depth: number): boolean {
    const alternatives = this.#split(span, depth > 0 ? LOGIC : /^X?OR$/);
    const texts = new Set(alternatives.map((one) => this.#format(one)));
    const affirmed = new Set(alternatives.map((one) => this.#format(one, TEST)));
    const isOpposed = affirmed.size < texts.size;
    return (
      !isOpposed && alternatives.every((one) => this.#split(one, LOGIC).some((test) => this.#isLimit(test, depth)))
    );
  }

  #isLimit([from, to]: Span, depth: number): boolean {
    const comparison = this.#find([from, to], COMPARISON);
    const [left, right] = [[from, comparison] as const, [comparison + 1, to] as const];
    const isList = this.#sign(right[0]) === "(" && this.#of.closing(right[0]) === to - 1;
    const items = this.#split(isList ? [right[0] + 1, to - 1] : right, /^(?:,|AND)$/);
    const isColumn = this.#namesColumn(left) || items.every((item) => this.#namesColumn(item));
    // Where `"a"` is a string in one dialect, it is a column in others: two different strings may be a test.
    const texts = [left, ...items].map(([at, end]) =>
      end === at + 1 ? this.#format([at, end]).trim().toLowerCase() : "",
    );
    const areStrings = texts.every((text) => text.startsWith("'")) && !texts.includes(texts[0] ?? "", 1);
    if (!isColumn && !(areStrings && depth === 0 && /^(?:=|IN)$/.test(this.#sign(comparison)))) return false;
    if ([right, ...items].some((item) => this.#isSame(left, item))) return false;
    return !ANY_TEXT.test(this.#format([from, to])) && !this.#hasOpenBracket([from, to], left, depth + 1);
  }

  /** `t.id` is `id`, but not `u.id`. */
  #isSame(one: Span, other: Span): boolean {
    const name = this.#format(one, TEST);
    const paths = [this.#format(one, TEST, true), this.#format(other, TEST, true)];
    return name !== "" && name === this.#format(other, TEST) && (paths.includes(name) || paths[0] === paths[1]);
  }

  /** Returns true if a subquery may select every row, or a condition in brackets may hold for every row. */
  #hasOpenBracket(span: Span, left: Span, depth: number): boolean {
    if (depth > MOST_NESTED) return true;
    return [...this.#findAll(span, /^\($/)].some((open) => {
      const inner = [open + 1, this.#of.closing(open)] as const;
      if (this.#of.word(open + 1) === "SELECT") return this.#selectsAll(inner, left, depth);
      const isCondition = [LOGIC, COMPARISON].some((word) => this.#find(inner, word) < inner[1]);
      return isCondition ? !this.#isLimiting(inner, depth) : this.#hasOpenBracket(inner, left, depth + 1);
    });
  }

  #selectsAll([select, to]: Span, left: Span, depth: number): boolean {
    let before = select - 1;
    while (this.#sign(before) === "(") before--;
    const isExists = this.#sign(before) === "EXISTS";
    if (!isExists && !/^(?:IN|ANY|SOME|ALL|FROM)$/.test(this.#sign(before))) return false;
    const where = this.#of.find(select + 1, "WHERE");
    if (where !== undefined) return this.mayHoldForAll(where + 1, depth);
    if (this.#of.find(select + 1, ...LIMITS) !== undefined) return false;
    const from = this.#of.find(select + 1, "FROM");
    if (from === undefined || isExists) return isExists;
    const isOwn = this.#tables.includes(this.#of.path(from + 1).parts.at(-1) ?? "");
    const columns = this.#format([select + 1, from], TEST);
    const isSelected = columns === "* " || columns === this.#format(left, TEST);
    return (isOwn && isSelected) || this.#hasOpenBracket([from + 1, to], left, depth + 1);
  }

  #namesColumn([from, to]: Span): boolean {
    for (let at = from; at < to; at++) {
      if (this.#of.at(at).type === "variable") return true;
      if (!this.#of.isName(at)) continue;
      const { last } = this.#of.path(at);
      const isLabel = /^(?:AS|COLLATE|::)$/.test(this.#sign(at - 1)) || (at > from && this.#endsOperand(at - 1));
      const isCalled = this.#sign(last + 1) === "(" || this.#of.at(last + 1).type === "string";
      if (this.#isName(at) && !isLabel && !isCalled) return true;
      at = last;
    }
    return false;
  }

  #isName(at: number): boolean {
    return this.#of.isName(at) && !OPERATOR.test(this.#sign(at)) && !CONSTANT.test(this.#sign(at));
  }

  #endsOperand(at: number): boolean {
    return this.#of.at(at).type === "sign" ? /^[)\]]$/.test(this.#sign(at)) : !OPERATOR.test(this.#sign(at));
  }

  #split([from, to]: Span, separator: RegExp): readonly Span[] {
    const ends = [...this.#findAll([from, to], separator), to];
    return ends.map((end, index) => [index === 0 ? from : (ends[index - 1] ?? 0) + 1, end]);
  }

  #find(span: Span, sought: RegExp): number {
    return this.#findAll(span, sought).next().value ?? span[1];
  }

  /** Indexes of words and signs outside of brackets. The AND of a BETWEEN is skipped. */
  *#findAll([from, to]: Span, sought: RegExp): Generator<number, undefined> {
    let isRange = false;
    for (let at = from; at < to; at++) {
      const sign = this.#sign(at);
      if (sought.test(sign) && !(sign === "AND" && isRange)) yield at;
      if (sign === "(") at = this.#of.closing(at);
      if (sign === "BETWEEN" || sign === "AND") isRange = sign === "BETWEEN";
    }
  }

  /** The word or sign at an index; empty for values and quoted names. */
  #sign(at: number): string {
    const { type, text } = this.#of.at(at);
    if (type !== "word" && type !== "sign") return "";
    if (text === "&&") return "AND";
    return text === "||" && this.#of.dialect.pipesAreOr ? "OR" : text;
  }

  /** The tokens without signs and words that match `skipped`, and, unless `qualified`, without the qualifiers of names. */
  #format([from, to]: Span, skipped = /^ /, qualified = false): string {
    let text = "";
    for (let at = from; at < Math.min(to, from + MOST_COMPARED); at++) {
      const { type, text: token } = this.#of.at(at);
      const isQualifier = this.#sign(at) === "." || (this.#sign(at + 1) === "." && !OTHER_ROW.test(token));
      if (skipped.test(this.#sign(at)) || (isQualifier && !qualified)) continue;
      text += `${type === "string" ? `'${token}` : token.toUpperCase()} `;
    }
    return text;
  }
}
