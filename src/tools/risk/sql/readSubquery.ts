// Reads a subquery of a condition: the table that it lists, and if it omits rows.
import type { Truth } from "./constants.ts";
import type { SqlStatements } from "./SqlStatements.ts";

/** `every`: each row of its tables. `none`: no row. `some`: a choice of rows, or a form that this reader does not know. */
export interface Subquery {
  readonly rows: "every" | "none" | "some";
  /** The last part of the table's name, in capitals. */
  readonly table: string;
  /** The selected columns without their qualifiers, in capitals. */
  readonly columns: string;
}

const UNKNOWN: Subquery = { rows: "some", table: "", columns: "" };

/** Tokens of a list of columns that are compared; a longer list counts as another one. */
const MOST_COLUMN_TOKENS = 64;

/** Words that may follow the table and are not its alias. */
const TAIL = /^(?:WHERE|ORDER|UNION|FOR|GROUP)$/;
/** Words that limit the rows, or join another table. */
const LIMITS = new Set(
  "LIMIT FETCH OFFSET HAVING EXCEPT INTERSECT MINUS JOIN TABLESAMPLE QUALIFY WHERE TOP START CONNECT".split(" "),
);

export interface SubqueryContext {
  readonly of: SqlStatements;
  /** Evaluates the condition that begins at an index. */
  readonly evaluate: (from: number) => Truth;
  /** Maximum nesting of subqueries. */
  readonly most: number;
}

/**
 * Reads the subquery in the bracket at `opening`. The result is `some` unless the
 * subquery has one table, or another subquery of this form in its place.
 */
export function readSubquery(context: SubqueryContext, opening: number): Subquery {
  const { of, evaluate, most } = context;
  if (most < 1) return UNKNOWN;
  const closing = of.closing(opening);
  let start = opening + 1;
  while (of.isSign(start, "(")) start++;
  if (of.word(start) !== "SELECT") return UNKNOWN;
  start += /^(?:DISTINCT|ALL)$/.test(of.word(start + 1)) ? 2 : 1;
  const from = of.find(start, "FROM", "TOP");
  if (from === undefined) {
    const condition = of.find(start, "WHERE", "HAVING", "LIMIT", "UNION");
    return condition === undefined ? { rows: "every", table: "", columns: "" } : UNKNOWN;
  }
  if (of.word(from) === "TOP") return UNKNOWN;
  const inner = of.isSign(from + 1, "(") ? readSubquery({ ...context, most: most - 1 }, from + 1) : undefined;
  if (!inner && !of.isName(from + 1)) return UNKNOWN;
  const path = of.path(from + 1);
  const last = inner ? of.closing(from + 1) : path.last;
  const rows = readRows({ of, at: skipAlias(of, last + 1), closing, evaluate });
  const table = inner ? inner.table : (path.parts.at(-1) ?? "");
  const columns = formatColumns(of, start, from);
  return {
    rows: inner && inner.rows !== "every" && rows === "every" ? inner.rows : rows,
    table,
    columns,
  };
}

function skipAlias(of: SqlStatements, place: number): number {
  const at = of.word(place) === "AS" ? place + 1 : place;
  return of.isName(at) && !TAIL.test(of.word(at)) && !LIMITS.has(of.word(at)) && !isJoin(of.word(at)) ? at + 1 : at;
}

function isJoin(word: string): boolean {
  return /^(?:LEFT|RIGHT|INNER|FULL|CROSS|NATURAL)$/.test(word);
}

interface RowsPlace {
  readonly of: SqlStatements;
  /** Index after the table and its alias. */
  readonly at: number;
  readonly closing: number;
  readonly evaluate: (from: number) => Truth;
}

function readRows({ of, at, closing, evaluate }: RowsPlace): Subquery["rows"] {
  if (of.isSign(at, ",") || of.isSign(at, "(")) return "some";
  const filters = of.word(at) === "WHERE";
  for (let place = filters ? at + 1 : at; place < closing; place++) {
    if (of.isSign(place, "(")) place = of.closing(place);
    else if (LIMITS.has(of.word(place)) || (filters && of.word(place) === "UNION")) return "some";
  }
  const truth = filters ? evaluate(at + 1) : "always";
  return truth === "always" ? "every" : truth === "never" ? "none" : "some";
}

/**
 * The names between two indexes without brackets and qualifiers, so that `(t.id)` is `id`; empty for a list that is too long.
 */
export function formatColumns(of: SqlStatements, from: number, to: number): string {
  if (to - from > MOST_COLUMN_TOKENS) return "";
  let text = "";
  for (let place = from; place < to; place++) {
    if (of.isSign(place, "(") || of.isSign(place, ")") || of.isSign(place, ".")) continue;
    if (of.isName(place) && of.isSign(place + 1, ".")) continue;
    text += `${of.at(place).text.toUpperCase()} `;
  }
  return text;
}
