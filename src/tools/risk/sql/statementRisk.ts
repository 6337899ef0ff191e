// Finds the risks of SQL text that need an approval. Works on tokens, never on patterns over the complete text; runs nothing.

import type { Risk } from "../Risk.ts";
import { assessAlter, assessSystemTable, changeDanger, mergeDanger } from "./changeRisk.ts";
import { type SqlDialect, selectDialects } from "./dialects.ts";
import { formatName } from "./formatName.ts";
import { findCall } from "./functionCalls.ts";
import { SqlStatements } from "./SqlStatements.ts";
import { assessServerStatement } from "./serverRisk.ts";
import { EFFECTS, type Effect, FREE_LANGUAGES } from "./statementEffects.ts";
import { findObjectPlace, findStatementHead } from "./statementHeads.ts";
import { tokenizeSql } from "./tokenizeSql.ts";

/** The first risk of a text of statements, in its worst dialect reading; undefined if there is none. */
export function assessStatement(text: string): Risk | undefined {
  for (const dialect of selectDialects(text)) {
    const found = assessText(text, dialect, 1);
    if (found) return found;
  }
  return undefined;
}

type Rule = (of: SqlStatements, place: number) => Risk | undefined;

/** @param levels how many texts within one another are looked into: bodies of functions. */
function assessText(text: string, dialect: SqlDialect, levels: number): Risk | undefined {
  const of = new SqlStatements(tokenizeSql(text, dialect), dialect);
  let explained = 0;
  for (let place = 0; place < of.tokens.length; place++) {
    if (isOnlyExplained(of, place)) explained = endOfStatement(of, place);
    const found =
      place < explained ? reachDanger(of, place) : (assessPlace(of, place) ?? bodyDanger(of, place, levels));
    if (found) return found;
  }
  return undefined;
}

/** Functions and files are reached for a plan too: their columns are looked up, and constants are computed. */
function reachDanger(of: SqlStatements, place: number): Risk | undefined {
  const call = of.isName(place) ? findCall(of, place) : undefined;
  return call ? effectDanger(call.effect, call.name) : assessServerStatement(of, place);
}

function assessPlace(of: SqlStatements, place: number): Risk | undefined {
  if (!of.isName(place) || of.isSign(place - 1, ".")) return assessServerStatement(of, place);
  const head = findStatementHead(of, place);
  if (head) return effectDanger(head.effect, head.words);
  return RULES.get(of.word(place))?.(of, place) ?? reachDanger(of, place);
}

function effectDanger(effect: Effect, what: string): Risk {
  const { rule, does } = EFFECTS[effect];
  return { rule, reason: `\`${what.slice(0, 60).replace(/\p{C}/gu, "")}\` ${does}` };
}

const OBJECTS = new Set(
  `TABLE DATABASE SCHEMA VIEW INDEX SEQUENCE TRIGGER FUNCTION PROCEDURE ROUTINE ROLE USER LOGIN COLUMN TYPE EXTENSION MATERIALIZED
  TABLESPACE OWNED POLICY SERVER TEMPORARY DOMAIN AGGREGATE OPERATOR CAST RULE EVENT PACKAGE SYNONYM PUBLIC DIRECTORY LIBRARY PROFILE
  PUBLICATION SUBSCRIPTION FOREIGN EXTERNAL ASSEMBLY CREDENTIAL CERTIFICATE ENDPOINT CATALOG WAREHOUSE STAGE PIPE TASK STREAM
  DICTIONARY PLUGGABLE UNDO LANGUAGE ACCESS RESOURCE SPATIAL PARTITION CONSTRAINT SNAPSHOT MODEL SECRET INTEGRATION SHARE QUOTA GROUP
  DYNAMIC ICEBERG KEYSPACE COLLECTION NAMED`.split(/\s+/),
);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["DROP", drop],
  ["TRUNCATE", truncate],
  ["DELETE", changeDanger],
  ["UPDATE", changeDanger],
  ["MERGE", mergeDanger],
  ["ALTER", assessAlter],
  ["CREATE", replacement],
  ["GRANT", grant],
  ["INTO", (of, place) => assessSystemTable(of, place + 1)],
  ["EXEC", textThatRuns],
  ["EXECUTE", textThatRuns],
  ["PREPARE", prepare],
  ["OPEN", (of, place) => (of.word(place + 2) === "FOR" && isText(of, place + 3) ? hidden("OPEN … FOR") : undefined)],
  ["DO", (of, place) => (of.begins(place) && isBlock(of, place + 1) ? hidden("DO") : undefined)],
]);

function drop(of: SqlStatements, place: number): Risk | undefined {
  const object = of.word(place + 1);
  const before = of.at(place - 1);
  const starts = place === 0 || of.isSign(place - 1, ";") || /^(?:BEGIN|THEN|ELSE|GO|LOOP)$/.test(before.text);
  if (!OBJECTS.has(object) && !starts) return undefined;
  const name = formatName(of, place + 2, /^(?:IF|EXISTS|CONCURRENTLY|VIEW|TABLE)$/);
  return { rule: "drop", reason: `\`DROP ${object}\` removes ${name || "what it names"} with all that is in it` };
}

function truncate(of: SqlStatements, place: number): Risk | undefined {
  const starts = of.starts(place) && !of.isSign(place + 1, "(");
  if (!/^(?:TABLE|DATABASE|ALL)$/.test(of.word(place + 1)) && !starts) return undefined;
  const name = formatName(of, place + 1, /^(?:TABLE|ONLY|IF|EXISTS)$/);
  return { rule: "truncate", reason: `\`TRUNCATE\` empties the table ${name}` };
}

/** CREATE OR REPLACE of an object that contains data. */
function replacement(of: SqlStatements, place: number): Risk | undefined {
  if (of.word(place + 1) !== "OR" || of.word(place + 2) !== "REPLACE") return undefined;
  const at = findObjectPlace(of, place);
  if (/^TEMP/.test(of.word(at - 1)) || !/^(?:TABLE|DATABASE|SCHEMA|DYNAMIC|ICEBERG|HYBRID)$/.test(of.word(at)))
    return undefined;
  const name = formatName(of, at + 1, /^(?:TABLE|IF|NOT|EXISTS)$/);
  return { rule: "drop", reason: `\`CREATE OR REPLACE\` removes ${name} first, with all that is in it` };
}

function grant(of: SqlStatements, place: number): Risk | undefined {
  const granted = of.isOperand(place + 1) && of.find(place + 1, "TO") !== undefined;
  return granted ? effectDanger("rights", "GRANT") : undefined;
}

function textThatRuns(of: SqlStatements, place: number): Risk | undefined {
  const next = of.at(place + 1);
  const result = next.type === "variable" && of.isSign(place + 2, "=");
  const built = of.isSign(place + 2, "(") && /^(?:FORMAT|CONCAT|REPLACE|QUOTE_LITERAL)$/.test(of.word(place + 1));
  if (next.text === "(" || built || isText(of, place + 1) || (next.type === "variable" && !result))
    return hidden(of.word(place));
  return undefined;
}

function prepare(of: SqlStatements, place: number): Risk | undefined {
  const from = of.begins(place) ? of.find(place, "FROM") : undefined;
  return from !== undefined && (isText(of, from + 1) || of.at(from + 1).type === "variable")
    ? hidden("PREPARE")
    : undefined;
}

/** A string, with or without a prefix such as N or E. */
function isText(of: SqlStatements, place: number): boolean {
  return of.at(/^[NERBX]$/.test(of.word(place)) ? place + 1 : place).type === "string";
}

function isBlock(of: SqlStatements, place: number): boolean {
  return isText(of, place) || of.word(place) === "LANGUAGE";
}

function hidden(what: string): Risk {
  return effectDanger("hidden", what);
}

/** CREATE of a function in a language that can reach outside of the database, or with a risky body in a string. */
function bodyDanger(of: SqlStatements, place: number, levels: number): Risk | undefined {
  if (of.word(place) !== "CREATE" || !/^(?:FUNCTION|PROCEDURE)$/.test(of.word(findObjectPlace(of, place))))
    return undefined;
  for (let at = of.find(place + 1, ...PARTS); at !== undefined; at = of.find(at + 1, ...PARTS)) {
    const language = of.at(at + 1).text.toUpperCase();
    if (of.word(at) === "LANGUAGE") {
      if (FREE_LANGUAGES.has(language) || /^PL\w*U$/.test(language))
        return effectDanger("code", `LANGUAGE ${language}`);
    } else if (isText(of, at + 1)) {
      const body = of.at(of.isName(at + 1) ? at + 2 : at + 1).text;
      const found = levels > 0 ? assessText(body, of.dialect, levels - 1) : hidden("CREATE FUNCTION");
      if (found) return found;
    }
  }
  return undefined;
}

const PARTS = ["LANGUAGE", "AS", "IS"];

/** EXPLAIN without ANALYZE does not run the statement that follows. */
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
