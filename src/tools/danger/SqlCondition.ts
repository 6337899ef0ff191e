// What a SQL condition is for every row: a small evaluator of constants. Knows no table, so that a row's own values stay unknown to it.
import type { SqlStatements } from "./SqlStatements.ts";
import type { SqlToken } from "./sqlTokens.ts";
import {
  and,
  compareConstants,
  different,
  type Judged,
  join,
  known,
  not,
  or,
  type Span,
  signed,
  truth,
} from "./sqlValues.ts";

/**
 * `always`: it holds for every row, or for all rows alike by something that no row has a part in. `never`: for none. `by-row`: that
 * is for the database to say. `unread`: it is nested deeper than anything that a person could judge, or written as nothing known.
 */
export type Holds = "always" | "never" | "by-row" | "unread";

type Value = Span & Judged;

/** Brackets and negations in one another; nobody writes as many by hand. */
const MOST_NESTED = 40;
/** Parts of one OR that are held against each other. */
const MOST_COMPARED = 16;

/** Each with the test that it denies. */
const DENIALS: Readonly<Record<string, string>> = { "<>": "=", "!=": "=", ">=": "<", "<=": ">" };
const COMPARISONS = new Set(["=", "==", "<=>", "<", ">", "<=", ">=", "<>", "!="]);
const PATTERNS = new Set(["LIKE", "ILIKE", "SIMILAR", "RLIKE", "REGEXP", "GLOB", "MATCH"]);
const NILADIC = /^(?:CURRENT_\w+|LOCALTIME\w*|SESSION_USER|SYSDATE|SYSTIMESTAMP)$/;
/** Words that belong to an expression and name nothing. */
const PLAIN =
  /^(?:AND|OR|NOT|XOR|NULL|TRUE|FALSE|UNKNOWN|IS|IN|LIKE|BETWEEN|CASE|WHEN|THEN|ELSE|END|AS|SELECT|DISTINCT|ALL|ANY|SOME|EXISTS|CAST|INTERVAL|DIV|MOD)$/;
/** What may follow a condition. */
const AFTERWARDS =
  /^(?:RETURNING|ORDER|LIMIT|GROUP|HAVING|OPTION|WHEN|THEN|FETCH|OFFSET|ON|UNION|EXCEPT|INTERSECT|WINDOW|FOR|SELECT|INSERT|UPDATE|DELETE|MERGE|DROP|TRUNCATE|ALTER|CREATE|EXEC|EXECUTE|DECLARE|GRANT|REVOKE|BEGIN|COMMIT|ROLLBACK|GO|END)$/;

/** Reads the condition that begins at `from`. */
export function conditionHolds(statements: SqlStatements, from: number): Holds {
  return new Reader(statements, from).holds();
}

class Reader {
  readonly #of: SqlStatements;
  #at: number;
  #depth = 0;

  constructor(of: SqlStatements, at: number) {
    this.#of = of;
    this.#at = at;
  }

  holds(): Holds {
    if (this.#of.word(this.#at) === "CURRENT" && this.#of.word(this.#at + 1) === "OF") return "by-row";
    const value = this.#either();
    if (this.#depth > MOST_NESTED) return "unread";
    // What was not read to its end is harmless only where no OR can undo what was read.
    const whole = this.#isOver() || this.#of.find(this.#at, "OR", "XOR") === undefined;
    if (value.type === "row") return whole ? "by-row" : "unread";
    if (value.type === "known" && truth(value.value) !== true) return whole ? "never" : "unread";
    return "always";
  }

  #isOver(): boolean {
    const token = this.#of.at(this.#at);
    if (token.type === "word") return AFTERWARDS.test(token.text);
    return token.type === "sign" && (token.text === "" || token.text === ";" || token.text === ")");
  }

  #either(): Value {
    const from = this.#at;
    const parts = [this.#both()];
    let value = parts[0] as Value;
    for (let way = this.#eitherWord(); way !== ""; way = this.#eitherWord()) {
      this.#at++;
      const part = this.#both();
      const complete = parts.some((other) => this.#opposed(other, part));
      value = {
        ...(complete ? known(true) : way === "XOR" ? different(value, part) : or(value, part)),
        from,
        to: this.#at,
      };
      if (parts.length < MOST_COMPARED) parts.push(part);
    }
    return value;
  }

  #eitherWord(): string {
    if (this.#of.dialect.pipesAreOr && this.#of.isSign(this.#at, "||")) return "OR";
    const word = this.#of.word(this.#at);
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
    const from = this.#at;
    let value = this.#negated();
    while (this.#of.word(this.#at) === "AND" || this.#of.isSign(this.#at, "&&")) {
      this.#at++;
      value = { ...and(value, this.#negated()), from, to: this.#at };
    }
    return value;
  }

  #negated(): Value {
    const from = this.#at;
    while (this.#of.word(this.#at) === "NOT") this.#at++;
    const denials = this.#at - from;
    const value = this.#predicate();
    return denials % 2 === 0 ? value : { ...not(value), from, to: this.#at };
  }

  #predicate(): Value {
    const from = this.#at;
    let value = this.#operand();
    for (;;) {
      const next = this.#test(value);
      if (!next) return value;
      value = { ...next, from, to: this.#at };
    }
  }

  /** What is said of an operand, if anything follows it. */
  #test(left: Value): Judged | undefined {
    const sign = this.#of.at(this.#at);
    if (sign.type === "sign" && COMPARISONS.has(sign.text)) {
      this.#at++;
      return this.#compared(sign.text, left, this.#operand());
    }
    const denied = this.#of.word(this.#at) === "NOT";
    const word = this.#of.word(denied ? this.#at + 1 : this.#at);
    if (word === "ISNULL" || word === "NOTNULL") {
      this.#at++;
      const isNull = this.#compared("<=>", left, { ...known(null), from: this.#at, to: this.#at });
      return word === "ISNULL" ? isNull : not(isNull);
    }
    const read =
      { IS: this.#is, IN: this.#in, BETWEEN: this.#between }[word] ?? (PATTERNS.has(word) ? this.#like : undefined);
    if (!read) return undefined;
    this.#at += denied ? 2 : 1;
    const value = read.call(this, left, word);
    return denied ? not(value) : value;
  }

  #is(left: Value): Judged {
    let denied = this.#skip("NOT");
    if (this.#skip("DISTINCT")) {
      this.#skip("FROM");
      denied = !denied;
    }
    const right = this.#operand();
    const asked = right.type === "known" && typeof right.value === "boolean";
    const judged = asked && left.type === "known" ? not(not(left)) : left;
    const value = this.#compared("<=>", { ...judged, from: left.from, to: left.to }, right);
    return denied ? not(value) : value;
  }

  #in(left: Value): Judged {
    const opening = this.#at;
    if (!this.#of.isSign(opening, "(")) return this.#compared("=", left, this.#operand());
    const word = this.#of.word(opening + 1);
    if (word === "SELECT" || word === "WITH" || word === "VALUES") return join(left, this.#skipBracket(opening));
    let value: Judged = known(false);
    do {
      this.#at++;
      value = or(value, this.#compared("=", left, this.#operand()));
    } while (this.#of.isSign(this.#at, ","));
    this.#at = this.#of.closing(opening) + 1;
    return value;
  }

  #between(left: Value): Judged {
    this.#skip("SYMMETRIC");
    const low = this.#operand();
    this.#skip("AND");
    return and(this.#compared(">=", left, low), this.#compared("<=", left, this.#operand()));
  }

  #like(left: Value, word: string): Judged {
    this.#skip("TO");
    const pattern = this.#operand();
    if (this.#skip("ESCAPE")) this.#operand();
    const any = /^(?:I?LIKE|SIMILAR)$/.test(word) ? /^%+$/ : /^[\^.*$]*$/;
    if (pattern.type === "known" && any.test(String(pattern.value))) return known(true);
    return left.type === "row" && this.#same(left, pattern) ? known(true) : join(left, pattern);
  }

  #compared(sign: string, left: Value, right: Value): Judged {
    const denies = DENIALS[sign];
    if (denies !== undefined) return not(this.#compared(denies, left, right));
    const strict = sign === "<" || sign === ">";
    if (left.type === "known" && right.type === "known") return compareConstants(sign, left.value, right.value);
    if (this.#same(left, right)) return known(!strict);
    const nothing = [left, right].some((one) => one.type === "known" && one.value === null);
    if (nothing && sign !== "<=>") return known(null);
    if (left.type !== "row" && right.type !== "row") return { type: "fixed" };
    return { type: "row", fact: { test: sign === "==" ? "=" : sign, of: [left, right], denied: false } };
  }

  #same(one: Span, other: Span): boolean {
    const length = Math.min(one.to - one.from, other.to - other.from);
    if (length === 0) return one.to - one.from === other.to - other.from;
    const longer = one.to - one.from > length ? one : other;
    // `t.id` is `id`; nothing else is the same by its end.
    if (longer.to - longer.from > length && !this.#isPath(longer)) return false;
    for (let back = 1; back <= length; back++)
      if (!sameToken(this.#of.at(one.to - back), this.#of.at(other.to - back))) return false;
    return longer.to - longer.from === length || this.#of.isSign(longer.to - length - 1, ".");
  }

  #isPath({ from, to }: Span): boolean {
    for (let place = from; place < to; place++)
      if (!this.#of.isName(place) && !this.#of.isSign(place, ".")) return false;
    return true;
  }

  /** Values with whatever stands between them and says neither yes nor no: arithmetic, joined texts, paths into JSON. */
  #operand(): Value {
    const from = this.#at;
    let value = this.#signed();
    while (this.#binds()) {
      this.#at++;
      value = { ...join(value, this.#signed()), from, to: this.#at };
    }
    return value;
  }

  #binds(): boolean {
    const { type, text } = this.#of.at(this.#at);
    if (type === "word") return text === "DIV" || text === "MOD";
    if (type !== "sign" || text === "&&" || (text === "||" && this.#of.dialect.pipesAreOr)) return false;
    return /^(?:[-+*/%|&^~#@?!]|->>?|\|\|)$/.test(text);
  }

  #signed(): Value {
    const from = this.#at;
    while (this.#isPrefix()) this.#at++;
    if (this.#at === from) return this.#afterwards(this.#primary());
    const signs = this.#of.tokens.slice(from, this.#at).map((token) => token.text);
    const value = this.#afterwards(this.#primary());
    return { ...signed(signs, value), from, to: this.#at };
  }

  #isPrefix(): boolean {
    const { type, text } = this.#of.at(this.#at);
    return type === "sign" && text !== "" && !"(),;.]".includes(text);
  }

  /** Casts, places in lists, collations: none of them makes a row's value a constant. */
  #afterwards(value: Value): Value {
    for (;;) {
      if (this.#of.isSign(this.#at, "::")) {
        this.#at += 2;
        if (this.#of.isSign(this.#at, "(")) this.#at = this.#of.closing(this.#at) + 1;
      } else if (this.#of.isSign(this.#at, "[")) {
        while (this.#at < this.#of.tokens.length && !this.#of.isSign(this.#at, "]")) this.#at++;
        this.#at++;
      } else if (this.#of.word(this.#at) === "COLLATE") this.#at += 2;
      else return this.#at > value.to ? { ...value, to: this.#at } : value;
    }
  }

  #primary(): Value {
    const from = this.#at;
    const token = this.#of.at(from);
    if (token.type === "sign" && token.text === "(") return this.#bracket();
    const value = token.type === "word" || token.type === "name" ? this.#named() : this.#literal(token);
    return { ...value, from, to: this.#at };
  }

  #literal(token: SqlToken): Judged {
    if (token.type === "sign") return { type: "row" };
    this.#at++;
    if (token.type === "variable") return { type: "row" };
    if (token.type === "number") return known(Number(token.text.replaceAll("_", "")));
    let text = token.text;
    for (; this.#of.at(this.#at).type === "string"; this.#at++) text += this.#of.at(this.#at).text;
    return known(text);
  }

  #bracket(): Value {
    const opening = this.#at;
    const word = this.#of.word(opening + 1);
    if (word === "SELECT" || word === "WITH" || word === "VALUES")
      return { ...this.#skipBracket(opening), from: opening, to: this.#at };
    if (this.#depth > MOST_NESTED || ++this.#depth > MOST_NESTED)
      return { ...this.#skipBracket(opening), from: opening, to: this.#at };
    this.#at++;
    let value = this.#either();
    const several = this.#of.isSign(this.#at, ",");
    while (this.#of.isSign(this.#at, ",")) {
      this.#at++;
      value = { ...value, ...join(value, this.#either()) };
    }
    if (this.#depth <= MOST_NESTED) this.#depth--;
    const whole = this.#at === this.#of.closing(opening);
    this.#at = this.#of.closing(opening) + 1;
    if (whole && !several) return value;
    return { ...(whole || value.type === "row" ? value : { type: "fixed" }), from: opening, to: this.#at };
  }

  #named(): Judged {
    const word = this.#of.word(this.#at);
    if (word === "NULL" || word === "UNKNOWN") return this.#taken(known(null));
    if (word === "TRUE" || word === "FALSE") return this.#taken(known(word === "TRUE"));
    if (word === "NOT") return this.#negated();
    if (word === "CASE") return this.#case();
    if (word === "BINARY" || word === "PRIOR") return this.#taken(undefined) ?? this.#primary();
    if (NILADIC.test(word)) return this.#taken({ type: "fixed" });
    if (word !== "" && this.#of.at(this.#at + 1).type === "string") {
      this.#at++;
      const text = this.#literal(this.#of.at(this.#at));
      return word === "N" || word === "E" ? text : { type: "fixed" };
    }
    this.#at++;
    while (this.#of.isSign(this.#at, ".")) this.#at += 2;
    return this.#of.isSign(this.#at, "(") ? this.#skipBracket(this.#at) : { type: "row" };
  }

  #taken<T extends Judged | undefined>(value: T): T {
    this.#at++;
    return value;
  }

  #case(): Judged {
    const from = this.#at;
    let open = 0;
    do {
      const word = this.#of.word(this.#at);
      if (word === "CASE") open++;
      if (word === "END") open--;
      this.#at++;
    } while (open > 0 && this.#at < this.#of.tokens.length);
    return this.#contents(from, this.#at);
  }

  #skipBracket(opening: number): Judged {
    this.#at = this.#of.closing(opening) + 1;
    return this.#contents(opening, this.#at);
  }

  /** Whether a row may have a part in what stands there: a column, a table, a value that is filled in later. */
  #contents(from: number, to: number): Judged {
    for (let place = from; place < to; place++) {
      const { type, text } = this.#of.at(place);
      if (type === "variable" || (type === "name" && !this.#isLabel(place))) return { type: "row" };
      if (type !== "word" || PLAIN.test(text) || NILADIC.test(text) || this.#isLabel(place)) continue;
      if (!this.#of.isSign(place + 1, "(") && this.#of.at(place + 1).type !== "string") return { type: "row" };
    }
    return { type: "fixed" };
  }

  /** A type after AS or `::`, or a name that is given. */
  #isLabel(place: number): boolean {
    return this.#of.word(place - 1) === "AS" || this.#of.isSign(place - 1, "::");
  }

  #skip(word: string): boolean {
    if (this.#of.word(this.#at) !== word) return false;
    this.#at++;
    return true;
  }
}

/** Names are compared as databases do, without regard to capitals and quotes. */
function sameToken(one: SqlToken, other: SqlToken): boolean {
  if (one.type === "variable" || (one.type === "word" && other.type === "sign")) return one.text === other.text;
  const names = [one, other].every(({ type }) => type === "word" || type === "name");
  return names
    ? one.text.toUpperCase() === other.text.toUpperCase()
    : one.type === other.type && one.text === other.text;
}
