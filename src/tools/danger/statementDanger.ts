// What a SQL text would destroy, open or run beside its data, told for a person. Reads tokens, never patterns over the whole text; runs nothing.
import type { Danger } from "./Danger.ts";
import { conditionHolds } from "./SqlCondition.ts";
import { SqlStatements } from "./SqlStatements.ts";
import { dialectsFor, sqlTokens } from "./sqlTokens.ts";

/** The first danger of a text of statements, by whichever database would read it worst; undefined where there is none. */
export function statementDanger(text: string): Danger | undefined {
  for (const dialect of dialectsFor(text)) {
    const found = dangerOf(new SqlStatements(sqlTokens(text, dialect), dialect));
    if (found) return found;
  }
  return undefined;
}

type Rule = (of: SqlStatements, place: number) => Danger | undefined;

function dangerOf(of: SqlStatements): Danger | undefined {
  for (let place = 0; place < of.tokens.length; place++) {
    const word = of.word(place);
    if (word === "") continue;
    if (isOnlyExplained(of, place)) place = endOfStatement(of, place);
    else {
      const found = !of.isSign(place - 1, ".") && RULES.get(word)?.(of, place);
      if (found) return found;
      if (of.isSign(place + 1, "(") && OUTSIDE.has(word))
        return {
          rule: "outside",
          reason: `\`${word}\` reaches files, programs or other servers from within the database`,
        };
    }
  }
  return undefined;
}

/** Functions and procedures that reach out of the database. */
const OUTSIDE = new Set([
  ...[
    "LOAD_FILE",
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "PG_LS_DIR",
    "LO_IMPORT",
    "LO_EXPORT",
    "DBLINK",
    "DBLINK_EXEC",
  ],
  ...[
    "LOAD_EXTENSION",
    "READFILE",
    "WRITEFILE",
    "OPENROWSET",
    "OPENDATASOURCE",
    "SYS_EXEC",
    "SYS_EVAL",
    "QUERY_TO_XML",
  ],
]);

/** What a role is, and whom it lets in. */
const ROLES = new Set(["USER", "ROLE", "LOGIN"]);

const OBJECTS = new Set([
  ...[
    "TABLE",
    "DATABASE",
    "SCHEMA",
    "VIEW",
    "INDEX",
    "SEQUENCE",
    "TRIGGER",
    "FUNCTION",
    "PROCEDURE",
    "ROLE",
    "USER",
    "LOGIN",
  ],
  ...["COLUMN", "TYPE", "EXTENSION", "MATERIALIZED", "TABLESPACE", "OWNED", "POLICY", "SERVER", "TEMPORARY"],
]);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["DROP", drop],
  ["TRUNCATE", truncate],
  ["DELETE", change],
  ["UPDATE", change],
  ["MERGE", merge],
  ["ALTER", alter],
  ["CREATE", (of, place) => role(of, place)],
  [
    "GRANT",
    (of, place) => (of.begins(place) || of.find(place + 1, "ON", "TO") !== undefined ? rights("GRANT") : undefined),
  ],
  ["REVOKE", (of, place) => (of.begins(place) ? rights("REVOKE") : undefined)],
  ["COPY", copy],
  ["INTO", intoFile],
  [
    "LOAD",
    (of, place) => (/^(?:DATA|XML)$/.test(of.word(place + 1)) && of.begins(place) ? file("LOAD DATA") : undefined),
  ],
  [
    "VACUUM",
    (of, place) => (of.begins(place) && of.find(place + 1, "INTO") !== undefined ? file("VACUUM INTO") : undefined),
  ],
  ["PRAGMA", pragma],
  ["ATTACH", (of, place) => (of.begins(place) ? file("ATTACH") : undefined)],
  ["XP_CMDSHELL", () => program("XP_CMDSHELL")],
  ["SP_OACREATE", () => program("SP_OACREATE")],
  ["EXEC", textThatRuns],
  ["EXECUTE", textThatRuns],
  ["SP_EXECUTESQL", () => hidden("SP_EXECUTESQL")],
  [
    "PREPARE",
    (of, place) => (of.begins(place) && of.find(place, "FROM") !== undefined ? hidden("PREPARE") : undefined),
  ],
  ["DO", (of, place) => (of.begins(place) && /^(?:LANGUAGE)?$/.test(of.word(place + 1)) ? hidden("DO") : undefined)],
  [
    "SHUTDOWN",
    (of, place) => (of.begins(place) ? { rule: "drop", reason: "`SHUTDOWN` stops the database" } : undefined),
  ],
]);

function drop(of: SqlStatements, place: number): Danger | undefined {
  const object = of.word(place + 1);
  if (!OBJECTS.has(object) && !of.begins(place)) return undefined;
  const name = nameAt(of, place + 2, /^(?:IF|EXISTS|CONCURRENTLY|VIEW|TABLE)$/);
  return { rule: "drop", reason: `\`DROP ${object}\` removes ${name || "what it names"} with all that is in it` };
}

function truncate(of: SqlStatements, place: number): Danger | undefined {
  if (of.word(place + 1) !== "TABLE" && (!of.begins(place) || of.isSign(place + 1, "("))) return undefined;
  const name = nameAt(of, place + 1, /^(?:TABLE|ONLY)$/);
  return { rule: "truncate", reason: `\`TRUNCATE\` empties the table ${name}` };
}

/** Where DELETE and UPDATE say to what something applies, and do nothing themselves. */
const MENTIONS = /^(?:ON|FOR|KEY|AFTER|BEFORE|OF|OR|GRANT|REVOKE|SELECT|THEN|DO|AS|BY)$/;

function change(of: SqlStatements, place: number): Danger | undefined {
  const verb = of.word(place);
  const mentioned = (MENTIONS.test(of.word(place - 1)) && !of.begins(place)) || of.isSign(place - 1, ",");
  if (mentioned || (verb === "UPDATE" && of.find(place + 2, "SET") === undefined)) return undefined;
  const next = of.at(place + 1);
  if (next.type !== "word" && next.type !== "name" && !of.isSign(place + 1, "(")) return undefined;
  if (of.word(place - 1) === "THEN" && (of.word(place + 1) === "SET" || !of.isName(place + 1))) return undefined;
  const name = nameAt(of, place + 1, /^(?:FROM|ONLY|QUICK|IGNORE|LOW_PRIORITY|OR|ROLLBACK|ABORT|REPLACE|FAIL|TOP)$/);
  const effect = `${verb === "DELETE" ? "empties" : "changes every row of"} the table ${name}`;
  const where = of.find(place + 1, "WHERE");
  const rule = verb === "DELETE" ? "unbounded-delete" : "unbounded-update";
  if (where === undefined) return { rule, reason: `\`${verb}\` without \`WHERE\` ${effect}` };
  const holds = conditionHolds(of, where + 1);
  if (holds === "always") return { rule, reason: `the \`WHERE\` of \`${verb}\` holds for every row: it ${effect}` };
  return holds === "unread"
    ? { rule, reason: `the \`WHERE\` of \`${verb}\` cannot be read to its end: it may be one that ${effect}` }
    : undefined;
}

function merge(of: SqlStatements, place: number): Danger | undefined {
  if (!of.begins(place)) return undefined;
  const name = nameAt(of, place + 1, /^INTO$/);
  const on = of.find(place + 1, "ON");
  const holds = on === undefined ? "by-row" : conditionHolds(of, on + 1);
  if (holds === "always" || holds === "unread")
    return { rule: "unbounded-update", reason: `the \`ON\` of \`MERGE\` holds for every row of the table ${name}` };
  for (let at = of.find(place + 1, "THEN"); at !== undefined; at = of.find(at + 2, "THEN")) {
    const action = of.word(at + 1);
    if (action === "DELETE") return { rule: "unbounded-delete", reason: `\`MERGE\` deletes rows of the table ${name}` };
    if (action !== "UPDATE" && action !== "INSERT") return undefined;
  }
  return undefined;
}

function alter(of: SqlStatements, place: number): Danger | undefined {
  if (ROLES.has(of.word(place + 1))) return role(of, place);
  const at = of.find(place + 1, "DROP");
  if (at === undefined || /^(?:NOT|DEFAULT|IDENTITY|EXPRESSION)$/.test(of.word(at + 1))) return undefined;
  const name = nameAt(of, place + 2, /^(?:IF|EXISTS|ONLY)$/);
  return { rule: "drop", reason: `\`ALTER … DROP\` removes a part of ${name} with all that is in it` };
}

function role(of: SqlStatements, place: number): Danger | undefined {
  return ROLES.has(of.word(place + 1)) ? rights(`${of.word(place)} ${of.word(place + 1)}`) : undefined;
}

function copy(of: SqlStatements, place: number): Danger | undefined {
  if (!of.begins(place)) return undefined;
  const direction = of.find(place + 1, "TO", "FROM");
  if (direction === undefined) return undefined;
  if (of.word(direction + 1) === "PROGRAM") return program("COPY … PROGRAM");
  return of.at(direction + 1).type === "string" ? file("COPY") : undefined;
}

function intoFile(of: SqlStatements, place: number): Danger | undefined {
  const word = of.word(place + 1);
  if ((word === "OUTFILE" || word === "DUMPFILE") && of.at(place + 2).type === "string") return file(`INTO ${word}`);
  return undefined;
}

function pragma(of: SqlStatements, place: number): Danger | undefined {
  const name = of.isSign(place + 2, ".") ? of.word(place + 3) : of.word(place + 1);
  if (!/^(?:WRITABLE_SCHEMA|TRUSTED_SCHEMA|JOURNAL_MODE|TEMP_STORE_DIRECTORY|DATA_STORE_DIRECTORY)$/.test(name))
    return undefined;
  return { rule: "outside", reason: `\`PRAGMA ${name}\` changes how the database keeps its own file` };
}

function textThatRuns(of: SqlStatements, place: number): Danger | undefined {
  const next = of.isSign(place + 1, "(") ? place + 2 : of.word(place + 1) === "IMMEDIATE" ? place + 2 : place + 1;
  const { type } = of.at(next);
  return next > place + 1 || type === "string" ? hidden(of.word(place)) : undefined;
}

function rights(what: string): Danger {
  return { rule: "rights", reason: `\`${what}\` changes who may do what in the database` };
}

function file(what: string): Danger {
  return { rule: "outside", reason: `\`${what}\` reads or writes files of the database's server` };
}

function program(what: string): Danger {
  return { rule: "outside", reason: `\`${what}\` runs a program on the database's server` };
}

function hidden(what: string): Danger {
  return { rule: "hidden", reason: `\`${what}\` runs statements out of a text, which cannot be checked` };
}

/** EXPLAIN without ANALYZE runs nothing of what follows it. */
function isOnlyExplained(of: SqlStatements, place: number): boolean {
  if (!/^(?:EXPLAIN|DESCRIBE|DESC)$/.test(of.word(place)) || !(place === 0 || of.isSign(place - 1, ";"))) return false;
  for (let at = place + 1; at < of.tokens.length && !of.isSign(at, ";"); at++) {
    if (/^ANALY[SZ]E$/.test(of.word(at))) return false;
    if (/^(?:SELECT|DELETE|UPDATE|INSERT|MERGE|WITH|REPLACE)$/.test(of.word(at))) return true;
  }
  return false;
}

function endOfStatement(of: SqlStatements, from: number): number {
  let place = from;
  while (place < of.tokens.length && !of.isSign(place, ";")) place++;
  return place;
}

/** Characters of a name that a person is shown. */
const NAME_CHARS = 60;

/** The name at or after `from`, with its schema, words of the given kind skipped. */
function nameAt(of: SqlStatements, from: number, skipped: RegExp): string {
  let place = from;
  while (skipped.test(of.word(place)) || (of.word(place - 1) === "TOP" && of.isSign(place, "(")))
    place = of.isSign(place, "(") ? of.closing(place) + 1 : place + 1;
  if (!of.isName(place)) return "";
  let name = shown(of, place);
  for (; of.isSign(place + 1, ".") && of.isName(place + 2) && name.length < NAME_CHARS; place += 2)
    name += `.${shown(of, place + 2)}`;
  return name.slice(0, NAME_CHARS);
}

/** Words were read without regard to capitals; control characters say nothing to a person. */
function shown(of: SqlStatements, place: number): string {
  const { type, text } = of.at(place);
  return (type === "word" ? text.toLowerCase() : text).slice(0, NAME_CHARS).replace(/\p{C}/gu, "");
}
