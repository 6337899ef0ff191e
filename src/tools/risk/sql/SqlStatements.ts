// The tokens of SQL text with paired brackets, and searches in them. Assesses no risk.
import type { SqlDialect } from "./dialects.ts";
import type { SqlToken } from "./tokenizeSql.ts";

const END: SqlToken = { type: "sign", text: "" };

/** Words that begin a statement, outside of all brackets: some databases need no semicolon between statements. */
const HEADS = new Set([
  ...[
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "DROP",
    "TRUNCATE",
    "ALTER",
    "CREATE",
    "EXEC",
    "EXECUTE",
    "DECLARE",
  ],
  ...["GRANT", "REVOKE", "BEGIN", "COMMIT", "ROLLBACK", "GO"],
]);

/** Words that continue a statement, so the word before them is a name and not the head of a statement. */
const CLAUSES = new Set(
  `AND AS ASC BETWEEN BY CROSS DEFAULT DESC DO ELSE END EXCEPT FETCH FOR FROM FULL GROUP HAVING IN INNER INTERSECT INTO IS JOIN LEFT LIKE
  LIMIT NATURAL NOT NULL OFFSET ON OR ORDER OVER PARTITION RETURNING RIGHT SET THEN UNION USING VALUES WHEN WHERE WINDOW WITH`.split(
    /\s+/,
  ),
);
/** Parts of a dotted name that are looked into. */
const MOST_PARTS = 8;

/** A dotted name. */
export interface SqlPath {
  readonly parts: readonly string[];
  /** Index of its last part. */
  readonly last: number;
}

export class SqlStatements {
  readonly tokens: readonly SqlToken[];
  readonly dialect: SqlDialect;
  /** Index of the closing bracket for each opening one, or of the end. */
  readonly #closing: ReadonlyMap<number, number>;

  constructor(tokens: readonly SqlToken[], dialect: SqlDialect) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.#closing = indexPairs(tokens);
  }

  /** A token without text beyond either end. */
  at(place: number): SqlToken {
    return this.tokens[place] ?? END;
  }

  /** The word at this index; empty if the token is no word. */
  word(place: number): string {
    const token = this.at(place);
    return token.type === "word" ? token.text : "";
  }

  isSign(place: number, text: string): boolean {
    const token = this.at(place);
    return token.type === "sign" && token.text === text;
  }

  isName(place: number): boolean {
    const { type } = this.at(place);
    return type === "word" || type === "name";
  }

  /** Index of the bracket that closes the one at this index. */
  closing(place: number): number {
    return this.#closing.get(place) ?? this.tokens.length;
  }

  /** Returns true if a statement can begin here, judged by the token before. */
  begins(place: number): boolean {
    const before = this.at(place - 1);
    if (place === 0) return true;
    if (before.type === "sign") return before.text === ";" || before.text === "(" || before.text === ")";
    return before.type === "word" && /^(?:AS|THEN|ELSE|BEGIN|DO|INSTEAD|LOOP|GO|ANALY[SZ]E|VERBOSE)$/.test(before.text);
  }

  /**
   * Returns true if a top-level statement starts here: after the end of a statement or the head of a block. T-SQL needs no
   * semicolon, so a statement may also follow a value; such a word needs an operand, or it is a name.
   */
  starts(place: number): boolean {
    const before = this.at(place - 1);
    if (place === 0 || (before.type === "sign" && (before.text === ";" || before.text === "{"))) return true;
    if (before.type === "word" && /^(?:BEGIN|GO|LOOP|DO)$/.test(before.text)) return true;
    const ends =
      before.type === "number" || before.type === "string" || before.type === "variable" || before.text === ")";
    return (ends || (before.type === "word" && /^(?:AS|THEN|ELSE)$/.test(before.text))) && this.isOperand(place + 1);
  }

  /** Returns true if a value or name is at this index, and no sign or word that continues a clause. */
  isOperand(place: number): boolean {
    const { type, text } = this.at(place);
    return type === "word" ? !CLAUSES.has(text) : type !== "sign";
  }

  /** The parts of the dotted name that begins here, in capitals; a part of more than one name in one pair of quotes is split. */
  path(place: number): SqlPath {
    const parts: string[] = [];
    let at = place;
    while (this.isName(at) && parts.length < MOST_PARTS) {
      for (const part of this.at(at).text.toUpperCase().split(".")) parts.push(part);
      if (!this.isSign(at + 1, ".")) break;
      at += this.isSign(at + 2, ".") ? 3 : 2;
    }
    return { parts, last: at };
  }

  /**
   * First index from `from` on at which one of the words occurs, outside of brackets that open there. Undefined if the
   * statement, or the bracket around it, ends before.
   */
  find(from: number, ...words: readonly string[]): number | undefined {
    for (let place = from; place < this.tokens.length; place++) {
      const token = this.at(place);
      if (token.type === "word") {
        if (words.includes(token.text)) return place;
        if (HEADS.has(token.text) && !this.isSign(place - 1, ".")) return undefined;
      }
      if (token.type !== "sign") continue;
      if (token.text === ";" || token.text === ")") return undefined;
      if (token.text === "(") place = this.closing(place);
    }
    return undefined;
  }
}

function indexPairs(tokens: readonly SqlToken[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [place, token] of tokens.entries()) {
    if (token.type !== "sign") continue;
    if (token.text === "(") open.push(place);
    if (token.text !== ")") continue;
    const opened = open.pop();
    if (opened !== undefined) pairs.set(opened, place);
  }
  return pairs;
}
