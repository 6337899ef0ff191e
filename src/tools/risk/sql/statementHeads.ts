// Finds statements of the table of effects by their first words.
import type { SqlStatements } from "./SqlStatements.ts";
import { type Effect, STATEMENTS } from "./statementEffects.ts";

interface Head {
  readonly effect: Effect;
  /** Alternatives of the word at each position. */
  readonly words: readonly (readonly string[])[];
}

/** A statement of the table, with its first words as written. */
export interface FoundHead {
  readonly effect: Effect;
  readonly words: string;
}

const HEADS: ReadonlyMap<string, readonly Head[]> = headsByWord();

/** Unambiguous heads of several words: no statement needs to end before them. */
const UNMISTAKABLE = new Set(["CREATE", "ALTER", "RESTORE", "BACKUP", "BULK", "SHUTDOWN"]);

/** Words between CREATE or ALTER and the kind of the object. */
const MODIFIERS = new Set(
  `OR REPLACE ALTER IF NOT EXISTS TEMP TEMPORARY GLOBAL LOCAL PUBLIC PRIVATE SHARED TRUSTED PROCEDURAL AGGREGATE UNLOGGED TRANSIENT
  SECURE AND RESOLVE COMPILE BIGFILE SMALLFILE PERSISTENT`.split(/\s+/),
);

const MOST_MODIFIERS = 8;

/** Index of the object's kind after CREATE or ALTER and their modifiers. */
export function findObjectPlace(of: SqlStatements, place: number): number {
  let at = place + 1;
  while (at <= place + MOST_MODIFIERS && MODIFIERS.has(of.word(at))) at++;
  return at;
}

/** The statement of the table that begins at this index; undefined if there is none. */
export function findStatementHead(of: SqlStatements, place: number): FoundHead | undefined {
  const first = of.word(place);
  const heads = HEADS.get(first);
  if (!heads) return undefined;
  if (of.word(place - 1) === "SHOW") return undefined;
  const starts = of.starts(place);
  const apart = UNMISTAKABLE.has(first) && !of.isSign(place - 1, ",");
  const from = first === "CREATE" || first === "ALTER" ? findObjectPlace(of, place) : place + 1;
  for (const { effect, words } of heads) {
    if (!starts && !(apart && words.length > 0)) continue;
    if (!words.every((choice, index) => choice.some((word) => matchesAt(of, from + index, word)))) continue;
    // `ALTER TABLE t ALTER role TYPE text` changes a column.
    if (!starts && /^(?:TYPE|SET|DROP|ADD|RESTART)$/.test(of.word(from + words.length))) continue;
    const written = [first, ...words.map((_, index) => of.at(from + index).text)];
    return { effect, words: written.join(" ").slice(0, 60) };
  }
  return undefined;
}

function matchesAt(of: SqlStatements, place: number, word: string): boolean {
  return word === "@" ? of.at(place).text.startsWith("@") : of.word(place) === word;
}

function headsByWord(): ReadonlyMap<string, readonly Head[]> {
  const heads = new Map<string, Head[]>();
  for (const [effect, patterns] of Object.entries(STATEMENTS) as [Effect, readonly string[]][])
    for (const pattern of patterns) {
      const [first = [], ...words] = pattern.split(" ").map((choice) => choice.split("|"));
      for (const word of first) heads.set(word, [...(heads.get(word) ?? []), { effect, words }]);
    }
  return heads;
}
