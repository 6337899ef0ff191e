// Changes of rows and tables that need an approval: all rows, system tables, parts of a table.
import type { Risk } from "../Risk.ts";
import { ConditionReader } from "./ConditionReader.ts";
import { formatName, namePlace } from "./formatName.ts";
import type { SqlStatements } from "./SqlStatements.ts";
import { SYSTEM_TABLES } from "./statementEffects.ts";

/** Words before DELETE and UPDATE that make them a mention, not a statement. */
const MENTIONS = /^(?:ON|FOR|KEY|AFTER|BEFORE|OF|OR|GRANT|REVOKE|SELECT|THEN|DO|AS|BY)$/;

/** Words between DELETE or UPDATE and the table. */
const BEFORE_TABLE = /^(?:FROM|ONLY|QUICK|IGNORE|LOW_PRIORITY|OR|ROLLBACK|ABORT|REPLACE|FAIL|TOP)$/;

/** DELETE and UPDATE. */
export function changeDanger(of: SqlStatements, place: number): Risk | undefined {
  const verb = of.word(place);
  const mentioned = (MENTIONS.test(of.word(place - 1)) && !of.begins(place)) || of.isSign(place - 1, ",");
  if (mentioned || (verb === "UPDATE" && of.find(place + 2, "SET") === undefined)) return undefined;
  const next = of.at(place + 1);
  if (next.type !== "word" && next.type !== "name" && next.text !== "(" && next.text !== "#") return undefined;
  if (of.word(place - 1) === "THEN" && (of.word(place + 1) === "SET" || !of.isName(place + 1))) return undefined;
  const table = namePlace(of, place + 1, BEFORE_TABLE);
  // `DELETE FROM #temporary` is no statement if `#` begins a comment.
  if (table > place + 1 && (of.at(table).text === "" || of.isSign(table, ";"))) return undefined;
  const system = assessSystemTable(of, table);
  if (system) return system;
  const name = formatName(of, place + 1, BEFORE_TABLE);
  const effect = `${verb === "DELETE" ? "empties" : "changes every row of"} the table ${name}`;
  const where = of.find(place + 1, "WHERE");
  const rule = verb === "DELETE" ? "unbounded-delete" : "unbounded-update";
  if (where === undefined) return { rule, reason: `\`${verb}\` without \`WHERE\` ${effect}` };
  if (!new ConditionReader(of, findTables(of, table)).mayHoldForAll(where + 1)) return undefined;
  return { rule, reason: `the \`WHERE\` of \`${verb}\` may hold for every row: then it ${effect}` };
}

/**
 * The last parts of the names of the table that DELETE or UPDATE changes: the first word may be an alias of the one after
 * `FROM`.
 */
function findTables(of: SqlStatements, table: number): readonly string[] {
  const from = of.find(table + 1, "FROM", "WHERE");
  const places = from !== undefined && of.word(from) === "FROM" ? [table, from + 1] : [table];
  return places.flatMap((place) => of.path(place).parts.slice(-1));
}

/** MERGE: a condition that every row fulfils, and rows that it deletes. */
export function mergeDanger(of: SqlStatements, place: number): Risk | undefined {
  if (!of.begins(place)) return undefined;
  const name = formatName(of, place + 1, /^INTO$/);
  const on = of.find(place + 1, "ON");
  if (on !== undefined && new ConditionReader(of).mayHoldForAll(on + 1))
    return { rule: "unbounded-update", reason: `the \`ON\` of \`MERGE\` may hold for every row of the table ${name}` };
  for (let at = of.find(place + 1, "THEN"); at !== undefined; ) {
    const action = of.word(at + 1);
    if (action === "DELETE") return { rule: "unbounded-delete", reason: `\`MERGE\` deletes rows of the table ${name}` };
    at = of.find(action === "UPDATE" || action === "INSERT" ? at + 2 : at + 1, "THEN");
  }
  return undefined;
}

/** A change of a table in which the server stores its users, functions or schema. */
export function assessSystemTable(of: SqlStatements, place: number): Risk | undefined {
  const name = of.isName(place) ? of.path(place).parts.join(".") : "";
  if (!SYSTEM_TABLES.test(name)) return undefined;
  return { rule: "rights", reason: `${name.toLowerCase().slice(0, 60)} is a table of the database's server itself` };
}

/** Words in ALTER that a name or an event follows, so that the next word is not a clause of its own. */
const NAMING = /^(?:ON|ADD|COLUMN|EXISTS|CHANGE|MODIFY|ALTER|AFTER|TABLE|TO)$/;
/** Clauses of ALTER that begin with the word and remove nothing. */
const KEEPS: Readonly<Record<string, RegExp>> = {
  DROP: /^(?:NOT|DEFAULT|IDENTITY|EXPRESSION)$/,
  DISABLE: /^(?!(?:TRIGGER|RULE|ROW|CONSTRAINT|ALL)$)/,
  RENAME: /^(?:COLUMN|INDEX|KEY|CONSTRAINT|VALUE|ATTRIBUTE|FIELD|PARTITION)$/,
  OWNER: /^(?!TO$)/,
  DELETE: /^/,
  IMPORT: /^(?!(?:TABLESPACE|PARTITION)$)/,
};
/** Clauses of ALTER that remove data, permissions or checks. */
const ALTER_PARTS =
  "DROP TRUNCATE DISCARD IMPORT DETACH EXCHANGE SWITCH TRANSFER UNUSED DISABLE NOCHECK RENAME OWNER FREEZE FETCH UPDATE DELETE".split(
    " ",
  );

/** ALTER of a table or of anything else that is not the server: parts that are dropped, renamed, given away or no longer checked. */
export function assessAlter(of: SqlStatements, place: number): Risk | undefined {
  for (let at = of.find(place + 1, ...ALTER_PARTS); at !== undefined; at = of.find(at + 1, ...ALTER_PARTS)) {
    const part = of.word(at);
    if (NAMING.test(of.word(at - 1)) || KEEPS[part]?.test(of.word(at + 1)) || isColumnRenamed(of, at)) continue;
    const name = formatName(of, place + 2, /^(?:IF|EXISTS|ONLY)$/);
    if (part !== "UPDATE")
      return {
        rule: "drop",
        reason: `\`ALTER … ${part}\` takes a part of ${name} away, or gives it another name or owner`,
      };
    // ClickHouse has no SET here.
    const where = of.find(at + 1, "WHERE");
    if (where === undefined || new ConditionReader(of).mayHoldForAll(where + 1))
      return { rule: "unbounded-update", reason: `\`ALTER … UPDATE\` may change every row of the table ${name}` };
  }
  return undefined;
}

/** `RENAME a TO b`, where `RENAME TO b` would rename the table. */
function isColumnRenamed(of: SqlStatements, place: number): boolean {
  return of.word(place) === "RENAME" && of.word(place + 1) !== "TO" && of.word(place + 2) === "TO";
}
