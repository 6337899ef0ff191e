// Finds calls of the functions and procedures in the table of effects, by the last part of their name, quoted or not.
import type { SqlStatements } from "./SqlStatements.ts";
import {
  CALL_FAMILIES,
  CALLS,
  COMMON_CALLS,
  type Effect,
  GUARDED_SETTINGS,
  SERVER_PACKAGES,
} from "./statementEffects.ts";

/** A call that the table contains, with the name of the function. */
export interface FoundCall {
  readonly effect: Effect;
  readonly name: string;
}

const EFFECTS_BY_NAME: ReadonlyMap<string, Effect> = new Map(
  (Object.entries(CALLS) as [Effect, string][]).flatMap(([effect, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, Effect] => [name, effect]),
  ),
);

/** The call whose name begins at this index: `name(…)`, or a procedure after EXEC, CALL or at the start of a statement. */
export function findCall(of: SqlStatements, place: number): FoundCall | undefined {
  if (of.isSign(place - 1, ".")) return undefined;
  const begins = isProcedurePlace(of, place);
  const isPath = of.isSign(place + 1, ".");
  if (!begins && !isPath && !of.isSign(place + 1, "(")) return undefined;
  const { parts, last } = isPath ? of.path(place) : { parts: of.at(place).text.toUpperCase().split("."), last: place };
  const called = of.isSign(last + 1, "(");
  if (!called && !begins) return undefined;
  const name = parts.at(-1) ?? "";
  const effect = effectByName(parts, begins) ?? (called && isCommonCall(of, place, last, name) ? "files" : undefined);
  if (effect) return { effect, name };
  if (called && name === "SET_CONFIG" && isGuarded(of, last + 2)) return { effect: "rights", name };
  const escaped = of.at(last).type === "name" && called && /\\/.test(name);
  return escaped ? { effect: "hidden", name: "a name with escapes in it" } : undefined;
}

function effectByName(parts: readonly string[], procedure: boolean): Effect | undefined {
  const name = parts.at(-1) ?? "";
  const known = EFFECTS_BY_NAME.get(name) ?? EFFECTS_BY_NAME.get(parts.slice(-2).join("."));
  if (known) return known;
  if (parts.slice(0, -1).some((part) => SERVER_PACKAGES.has(part))) return "files";
  return CALL_FAMILIES.find(({ begins, procedures }) => begins.test(name) && (procedure || !procedures))?.effect;
}

/**
 * Returns true if a name here is that of a procedure: after EXEC, with or without a result variable, after CALL, or at the
 * start of a statement.
 */
function isProcedurePlace(of: SqlStatements, place: number): boolean {
  const result = of.isSign(place - 1, "=") && of.at(place - 2).type === "variable";
  const before = of.word(result ? place - 3 : place - 1);
  if (/^(?:EXEC|EXECUTE|CALL)$/.test(before)) return true;
  return place === 0 || of.isSign(place - 1, ";") || /^(?:BEGIN|GO|LOOP)$/.test(before);
}

/** Returns true if the named setting is guarded, or its name is unknown. */
function isGuarded(of: SqlStatements, place: number): boolean {
  const { type, text } = of.at(place);
  return type !== "string" || GUARDED_SETTINGS.has(text.toUpperCase());
}

/**
 * Column and table names also precede lists of columns, so these names count only where a table is expected, or with a text
 * argument.
 */
function isCommonCall(of: SqlStatements, place: number, last: number, name: string): boolean {
  if (!COMMON_CALLS.has(name)) return false;
  if (/^(?:FROM|JOIN|APPLY)$/.test(of.word(place - 1))) return true;
  if (of.word(place - 1) === "FUNCTION" && /^(?:INTO|TABLE)$/.test(of.word(place - 2))) return true;
  if (of.isSign(place - 1, "(") && of.word(place - 2) === "TABLE") return true;
  // GLOB(pattern, text) is a function of SQLite that only compares.
  return name !== "GLOB" && of.at(last + 2).type === "string";
}
