// Clauses of statements that reach files, programs, other servers or guarded settings.
import type { Risk } from "../Risk.ts";
import type { SqlStatements } from "./SqlStatements.ts";
import { ENGINES, GUARDED_PRAGMAS, GUARDED_SETTINGS } from "./statementEffects.ts";

type Rule = (of: SqlStatements, place: number) => Risk | undefined;

/** The risk of the clause that begins at this index; undefined if there is none. */
export function assessServerStatement(of: SqlStatements, place: number): Risk | undefined {
  const { type, text } = of.at(place);
  if (type === "word") return RULES.get(text)?.(of, place);
  return type === "sign" ? clientCommand(of, place) : undefined;
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["COPY", copy],
  ["INTO", into],
  ["FROM", from],
  ["JOIN", from],
  ["SET", setting],
  ["FOR", (of, place) => (of.word(place + 1) === "ATTACH" ? file("FOR ATTACH") : undefined)],
  ["PRAGMA", pragma],
  [
    "VACUUM",
    (of, place) => (of.starts(place) && of.find(place + 1, "INTO") !== undefined ? file("VACUUM INTO") : undefined),
  ],
  ["ENGINE", engine],
  ["USING", module],
  ["SONAME", (of, place) => (isPlaceForFile(of, place + 1) ? program("SONAME") : undefined)],
  ["CALL", (of, place) => (isClassOfTrigger(of, place) ? program("TRIGGER … CALL") : undefined)],
  ["EXTERNAL", (of, place) => (of.word(place + 1) === "NAME" ? program("EXTERNAL NAME") : undefined)],
  ["DIRECTORY", directory],
  ["UESCAPE", (of, place) => (of.at(place - 1).type === "name" ? escapedName() : undefined)],
]);

/** H2 names the Java class of a trigger in quotes of either kind; a called procedure has its arguments after it. */
function isClassOfTrigger(of: SqlStatements, place: number): boolean {
  const { type } = of.at(place + 1);
  const isWithin = place > 0 && !of.isSign(place - 1, ";");
  return isWithin && (type === "string" || type === "name") && !of.isSign(place + 2, "(");
}

/** A string, or a parameter for one. */
function isPlaceForFile(of: SqlStatements, place: number): boolean {
  const { type } = of.at(place);
  return type === "string" || type === "variable";
}

function copy(of: SqlStatements, place: number): Risk | undefined {
  if (!of.starts(place) && !of.begins(place)) return undefined;
  if (of.word(place + 1) === "INTO" && (isPlaceForFile(of, place + 2) || of.at(place + 2).text.startsWith("@")))
    return file("COPY INTO");
  const direction = of.find(place + 1, "TO", "FROM");
  if (direction === undefined) return undefined;
  if (of.word(direction + 1) === "PROGRAM") return program("COPY … PROGRAM");
  const value = /^[EN]$/.test(of.word(direction + 1)) ? direction + 2 : direction + 1;
  const stage = of.at(value).text.startsWith("@");
  return stage || isPlaceForFile(of, value) || isFileName(of, value) ? file("COPY") : undefined;
}

function into(of: SqlStatements, place: number): Risk | undefined {
  const word = of.word(place + 1);
  return /^(?:OUTFILE|DUMPFILE)$/.test(word) && isPlaceForFile(of, place + 2) ? file(`INTO ${word}`) : undefined;
}

/** A file in place of a table. */
function from(of: SqlStatements, place: number): Risk | undefined {
  if (of.word(place + 1) === "INFILE") return isPlaceForFile(of, place + 2) ? file("FROM INFILE") : undefined;
  const isSpark = /^(?:CSV|PARQUET|JSON|TEXT|ORC|AVRO|DELTA|BINARYFILE|ICEBERG)$/.test(of.word(place + 1));
  const at = isSpark && of.isSign(place + 2, ".") ? place + 3 : place + 1;
  return isFileName(of, at) && !isOperator(of, place) ? file("FROM a file") : undefined;
}

const FILE =
  /[\\/]|\.(?:csv|tsv|json|jsonl|ndjson|parquet|xlsx|db|duckdb|sqlite3?|arrow|avro|orc|txt)(?:\.(?:gz|zst|bz2))?$/i;

function isFileName(of: SqlStatements, place: number): boolean {
  const { type, text } = of.at(place);
  return (type === "string" || type === "name") && FILE.test(text);
}

/** Maximum tokens before a FROM among which its owner is searched. */
const MOST_BEFORE = 64;

/** The FROM of `IS DISTINCT FROM`, and of `trim(a FROM b)`, `extract(…)` and the like. */
function isOperator(of: SqlStatements, place: number): boolean {
  if (of.word(place - 1) === "DISTINCT") return true;
  for (let at = place - 1; at >= Math.max(0, place - MOST_BEFORE); at--) {
    if (of.word(at) === "SELECT" || of.isSign(at, ";")) return false;
    if (of.isSign(at, "(")) return of.isName(at - 1);
  }
  return false;
}

/** SET of a server setting, of the role, or of a setting that grants access; also within a list of settings. */
function setting(of: SqlStatements, place: number): Risk | undefined {
  if (of.isSign(place - 1, ")") || /^(?:AS|UPDATE)$/.test(of.word(place - 1)) || !of.starts(place)) return undefined;
  for (let at = place; at < of.tokens.length && !of.isSign(at, ";"); at++) {
    if (of.isSign(at, "(")) at = of.closing(at);
    else if (at === place || of.isSign(at, ",")) {
      const found = assessSetting(of, at + 1);
      if (found) return found;
    } else if (of.word(at) === "SELECT") return undefined;
  }
  return undefined;
}

function assessSetting(of: SqlStatements, from: number): Risk | undefined {
  const at = /^(?:SESSION|LOCAL|VARIABLE)$/.test(of.word(from)) ? from + 1 : from;
  const { type, text } = of.at(at);
  const name = text.toUpperCase();
  if (/^(?:@@)?(?:GLOBAL|PERSIST|PERSIST_ONLY)$/.test(name) && type !== "name")
    return { rule: "outside", reason: `\`SET ${name}\` changes a setting of the whole server` };
  const role = name === "AUTHORIZATION" || (name === "DEFAULT" && of.word(at + 1) === "ROLE");
  const setting = type === "variable" && name.startsWith("@@") ? name.slice(2) : name;
  const guarded = (type !== "variable" || setting !== name) && GUARDED_SETTINGS.has(setting);
  const custom = type === "variable" && of.isSign(at + 1, ".") && GUARDED_SETTINGS.has(of.word(at + 2));
  if (!role && !guarded && !custom) return undefined;
  return { rule: "rights", reason: `\`SET ${name}\` changes who the session acts for, or what it may reach` };
}

function pragma(of: SqlStatements, place: number): Risk | undefined {
  if (!of.starts(place)) return undefined;
  const { parts, last } = of.path(place + 1);
  const name = parts.at(-1) ?? "";
  if (!GUARDED_PRAGMAS.has(name) || !(of.isSign(last + 1, "=") || of.isSign(last + 1, "("))) return undefined;
  return { rule: "outside", reason: `\`PRAGMA ${name}\` changes how the database keeps its own file` };
}

function engine(of: SqlStatements, place: number): Risk | undefined {
  const at = of.isSign(place + 1, "=") ? place + 2 : place + 1;
  const name = of.at(at).text.toUpperCase();
  return ENGINES.has(name) && (at === place + 2 || of.isSign(at + 1, "(")) ? file(`ENGINE ${name}`) : undefined;
}

/** USING of a module for a virtual table, of an archive with code, or of a program. */
function module(of: SqlStatements, place: number): Risk | undefined {
  const name = of.at(place + 1).text.toUpperCase();
  if (/^(?:JAR|ARCHIVE)$/.test(name) && isPlaceForFile(of, place + 2)) return program(`USING ${name}`);
  if (of.isSign(place - 1, ")") && of.at(place + 1).type === "string") return program("TRANSFORM … USING");
  return of.isName(place + 1) && of.isSign(place + 2, "(") && ENGINES.has(name) ? file(`USING ${name}`) : undefined;
}

function directory(of: SqlStatements, place: number): Risk | undefined {
  const path = of.isSign(place + 1, "=") ? place + 2 : place + 1;
  const named = /^(?:DATA|INDEX)$/.test(of.word(place - 1));
  return named && of.at(path).type === "string" ? file(`${of.word(place - 1)} DIRECTORY`) : undefined;
}

/** Commands of the programs that send statements: `\! id`, `\copy …`, `.shell id`, `!! dir`. */
function clientCommand(of: SqlStatements, place: number): Risk | undefined {
  const { text } = of.at(place);
  const word = of.word(place + 1);
  const slash = text === "\\" && (of.isSign(place + 1, "!") || /^(?:COPY|O|OUT|I|IR|W)$/.test(word));
  const starts = place === 0 || of.isSign(place - 1, ";");
  const dot =
    text === "." &&
    starts &&
    /^(?:SHELL|SYSTEM|IMPORT|OUTPUT|ONCE|READ|LOAD|OPEN|SAVE|BACKUP|RESTORE|LOG|CD)$/.test(word);
  const bang = text === "!" && starts;
  return slash || dot || bang ? program(`${text}${word.toLowerCase()}`) : undefined;
}

function escapedName(): Risk {
  return { rule: "hidden", reason: "`UESCAPE` writes a name in signs of its own, which cannot be checked" };
}

function file(what: string): Risk {
  return {
    rule: "outside",
    reason: `\`${what}\` reads or writes files of the database's server, or reaches other servers`,
  };
}

function program(what: string): Risk {
  return { rule: "outside", reason: `\`${what}\` runs a program, or brings code to the database's server` };
}
