// Evaluates a SQL condition for all rows by its constants; column values stay unknown.

import {
  compareConstants,
  compareDifferent,
  getTruth,
  type Judged,
  join,
  joinAnd,
  joinOr,
  negate,
  type Span,
  type Truth,
  toKnown,
} from "./constants.ts";
import { MOST_NESTED, OperandReader, type Value } from "./OperandReader.ts";
import { formatColumns, readSubquery, type Subquery } from "./readSubquery.ts";
import type { SqlStatements } from "./SqlStatements.ts";
import type { SqlToken } from "./tokenizeSql.ts";

/** Maximum number of parts of one OR that are compared with each other. */
const MOST_COMPARED = 16;

/** Each with the test that it denies. */
const DENIALS: Readonly<Record<string, string>> = { "<>": "=", "!=": "=", ">=": "<", "<=": ">" };
const COMPARISONS = new Set(["=", "==", "<=>", "<", ">", "<=", ">=", "<>", "!="]);
const PATTERNS = new Set(["LIKE", "ILIKE", "SIMILAR", "RLIKE", "REGEXP", "GLOB", "MATCH"]);
/** Words that may follow a condition. */
const AFTERWARDS =
  /^(?:RETURNING|ORDER|LIMIT|GROUP|HAVING|OPTION|WHEN|THEN|FETCH|OFFSET|ON|UNION|EXCEPT|INTERSECT|WINDOW|FOR|SELECT|INSERT|UPDATE|DELETE|MERGE|DROP|TRUNCATE|ALTER|CREATE|EXEC|EXECUTE|DECLARE|GRANT|REVOKE|BEGIN|COMMIT|ROLLBACK|GO|END)$/;

/** Evaluates the condition that begins at `from`. `tables` are the names, in capitals, of the table whose rows it selects. */
export function evaluateCondition(statements: SqlStatements, from: number, tables: readonly string[] = []): Truth {
  return new ConditionReader(statements, from, { tables, depth: 0 }).holds();
}

interface Surroundings {
  readonly tables: readonly string[];
  /** Subqueries around the condition. */
  readonly depth: number;
}

class ConditionReader extends OperandReader {
  readonly #around: Surroundings;

  constructor(of: SqlStatements, at: number, around: Surroundings) {
    super(of, at);
    this.#around = around;
  }

  holds(): Truth {
    if (this.of.word(this.at) === "CURRENT" && this.of.word(this.at + 1) === "OF") return "by-row";
    const value = this.either();
    if (this.depth > MOST_NESTED) return "unread";
    // A condition that was not read to its end is harmless only if no OR can undo the part that was read.
    const whole = this.#isOver() || this.of.find(this.at, "OR", "XOR") === undefined;
    if (value.type === "row") return whole ? "by-row" : "unread";
    if (value.type === "known" && getTruth(value.value) !== true) return whole ? "never" : "unread";
    return "always";
  }

  #isOver(): boolean {
    const token = this.of.at(this.at);
    if (token.type === "word") return AFTERWARDS.test(token.text);
    return token.type === "sign" && (token.text === "" || token.text === ";" || token.text === ")");
  }

  protected override either(): Value {
    const from = this.at;
    const parts = [this.#both()];
    let value = parts[0] as Value;
    for (let way = this.#eitherWord(); way !== ""; way = this.#eitherWord()) {
      this.at++;
      const part = this.#both();
      const complete = parts.some((other) => this.#opposed(other, part));
      value = {
        ...(complete ? toKnown(true) : way === "XOR" ? compareDifferent(value, part) : joinOr(value, part)),
        from,
        to: this.at,
      };
      if (parts.length < MOST_COMPARED) parts.push(part);
    }
    return value;
  }

  #eitherWord(): string {
    if (this.of.dialect.pipesAreOr && this.of.isSign(this.at, "||")) return "OR";
    const word = this.of.word(this.at);
    return word === "OR" || word === "XOR" ? word : "";
  }

  /** `x = 1` and `x <> 1`. */
  #opposed(one: Value, other: Value): boolean {
    if (one.type !== "row" || other.type !== "row" || !one.fact || !other.fact) return false;
    const { test, of, denied } = other.fact;
    return (
      one.fact.test === test &&
      one.fact.denied !== denied &&
      one.fact.of.length === of.length &&
      one.fact.of.every((span, index) => this.#same(span, of[index] ?? span))
    );
  }

  #both(): Value {
    const from = this.at;
    let value = this.negated();
    while (this.of.word(this.at) === "AND" || this.of.isSign(this.at, "&&")) {
      this.at++;
      value = { ...joinAnd(value, this.negated()), from, to: this.at };
    }
    return value;
  }

  protected override negated(): Value {
    const from = this.at;
    while (this.of.word(this.at) === "NOT") this.at++;
    const denials = this.at - from;
    const value = this.#predicate();
    return denials % 2 === 0 ? value : { ...negate(value), from, to: this.at };
  }

  #predicate(): Value {
    const from = this.at;
    let value = this.operand();
    for (;;) {
      const next = this.#test(value);
      if (!next) return value;
      value = { ...next, from, to: this.at };
    }
  }

  /** A test that follows the operand, if any. */
  #test(left: Value): Judged | undefined {
    const sign = this.of.at(this.at);
    if (sign.type === "sign" && COMPARISONS.has(sign.text)) {
      this.at++;
      const chosen = sign.text === "=" ? this.#any(left) : undefined;
      if (chosen) return chosen;
      return this.#compared(sign.text, left, this.operand());
    }
    const denied = this.of.word(this.at) === "NOT";
    const word = this.of.word(denied ? this.at + 1 : this.at);
    if (word === "ISNULL" || word === "NOTNULL") {
      this.at++;
      const isNull = this.#compared("<=>", left, { ...toKnown(null), from: this.at, to: this.at });
      return word === "ISNULL" ? isNull : negate(isNull);
    }
    const read =
      { IS: this.#is, IN: this.#in, BETWEEN: this.#between }[word] ?? (PATTERNS.has(word) ? this.#like : undefined);
    if (!read) return undefined;
    this.at += denied ? 2 : 1;
    const value = read.call(this, left, word);
    return denied ? negate(value) : value;
  }

  #is(left: Value): Judged {
    let denied = this.skip("NOT");
    if (this.skip("DISTINCT")) {
      this.skip("FROM");
      denied = !denied;
    }
    const right = this.operand();
    const asked = right.type === "known" && typeof right.value === "boolean";
    const judged = asked && left.type === "known" ? negate(negate(left)) : left;
    const value = this.#compared("<=>", { ...judged, from: left.from, to: left.to }, right);
    return denied ? negate(value) : value;
  }

  #in(left: Value): Judged {
    const opening = this.at;
    if (!this.of.isSign(opening, "(")) return this.#compared("=", left, this.operand());
    const word = this.of.word(opening + 1);
    if (/^(?:SELECT|WITH|VALUES)$/.test(word) || this.#isBracketedQuery(opening))
      return this.#chosen(left, opening) ?? join(left, this.skipBracket(opening));
    let value: Judged = toKnown(false);
    do {
      this.at++;
      value = joinOr(value, this.#compared("=", left, this.operand()));
    } while (this.of.isSign(this.at, ","));
    this.at = this.of.closing(opening) + 1;
    return value;
  }

  /** `= ANY (SELECT …)` is `IN (SELECT …)`. */
  #any(left: Value): Judged | undefined {
    const isQuery = /^(?:ANY|SOME)$/.test(this.of.word(this.at)) && this.of.isSign(this.at + 1, "(");
    return isQuery ? this.#chosen(left, this.at + 1) : undefined;
  }

  #isBracketedQuery(opening: number): boolean {
    let at = opening;
    while (this.of.isSign(at, "(")) at++;
    return this.of.word(at) === "SELECT" && this.of.closing(opening) === this.of.closing(opening + 1) + 1;
  }

  /** A subquery that lists the same column of every row of the table itself, or no row; undefined for any other. */
  #chosen(left: Value, opening: number): Judged | undefined {
    const { rows, table, columns } = this.#query(opening);
    const own = columns !== "" && (columns === "* " || columns === formatColumns(this.of, left.from, left.to));
    const every = rows === "every" && own && this.#around.tables.includes(table);
    if (!every && rows !== "none") return undefined;
    this.at = this.of.closing(opening) + 1;
    return toKnown(every);
  }

  /** Without a `WHERE` of its own, it is the same for all rows. */
  protected override exists(opening: number): Judged {
    const { rows, table } = this.#query(opening);
    const contents = this.skipBracket(opening);
    if (rows === "some") return contents;
    if (rows === "none") return toKnown(false);
    return table === "" || this.#around.tables.includes(table) ? toKnown(true) : { type: "fixed" };
  }

  #query(opening: number): Subquery {
    const { tables, depth } = this.#around;
    if (depth > MOST_NESTED) return { rows: "some", table: "", columns: "" };
    const around = { tables, depth: depth + 1 };
    const evaluate = (from: number): Truth => new ConditionReader(this.of, from, around).holds();
    return readSubquery({ of: this.of, evaluate, most: MOST_NESTED - depth }, opening);
  }

  #between(left: Value): Judged {
    this.skip("SYMMETRIC");
    const low = this.operand();
    this.skip("AND");
    return joinAnd(this.#compared(">=", left, low), this.#compared("<=", left, this.operand()));
  }

  #like(left: Value, word: string): Judged {
    this.skip("TO");
    const pattern = this.operand();
    if (this.skip("ESCAPE")) this.operand();
    const any = /^(?:I?LIKE|SIMILAR)$/.test(word) ? /^%+$/ : word === "GLOB" ? /^\*+$/ : /^[\^.*$]*$/;
    if (pattern.type === "known" && any.test(String(pattern.value))) return toKnown(true);
    return left.type === "row" && this.#same(left, pattern) ? toKnown(true) : this.#matched(word, left, pattern);
  }

  #matched(test: string, left: Value, pattern: Value): Judged {
    const judged = join(left, pattern);
    return judged.type === "row" ? { type: "row", fact: { test, of: [left, pattern], denied: false } } : judged;
  }

  #compared(sign: string, left: Value, right: Value): Judged {
    const denies = DENIALS[sign];
    if (denies !== undefined) return negate(this.#compared(denies, left, right));
    const strict = sign === "<" || sign === ">";
    if (left.type === "known" && right.type === "known") return compareConstants(sign, left.value, right.value);
    if (this.#same(left, right)) return toKnown(!strict);
    const nothing = [left, right].some((one) => one.type === "known" && one.value === null);
    if (nothing && sign !== "<=>") return toKnown(null);
    if (left.type !== "row" && right.type !== "row") return { type: "fixed" };
    return { type: "row", fact: { test: sign === "==" ? "=" : sign, of: [left, right], denied: false } };
  }

  #same(one: Span, other: Span): boolean {
    const length = Math.min(one.to - one.from, other.to - other.from);
    if (length === 0) return one.to - one.from === other.to - other.from;
    const longer = one.to - one.from > length ? one : other;
    // Within a subquery `t.id` may belong to the statement around it, and `id` to the subquery.
    if (longer.to - longer.from > length && this.#around.depth > 0) return false;
    // `t.id` is `id`; nothing else is the same by its end.
    if (longer.to - longer.from > length && !this.#isPath(longer)) return false;
    for (let back = 1; back <= length; back++)
      if (!sameToken(this.of.at(one.to - back), this.of.at(other.to - back))) return false;
    if (longer.to - longer.from === length) return true;
    const isOtherRow = /^(?:NEW|OLD|EXCLUDED)$/.test(this.of.word(longer.to - length - 2));
    return this.of.isSign(longer.to - length - 1, ".") && !isOtherRow;
  }

  #isPath({ from, to }: Span): boolean {
    if (to - from > LONGEST_PATH) return false;
    for (let place = from; place < to; place++) if (!this.of.isName(place) && !this.of.isSign(place, ".")) return false;
    return true;
  }
}

/** Maximum tokens of a path that is compared by its end. Databases allow four names with dots between them. */
const LONGEST_PATH = 16;

/** Names are compared as databases do, without regard to capitals and quotes. */
function sameToken(one: SqlToken, other: SqlToken): boolean {
  if (one.type === "variable" || (one.type === "word" && other.type === "sign")) return one.text === other.text;
  const names = [one, other].every(({ type }) => type === "word" || type === "name");
  return names
    ? one.text.toUpperCase() === other.text.toUpperCase()
    : one.type === other.type && one.text === other.text;
}
