// Finds positions among a program's arguments where no value of a call is allowed: by its table entry, and by further rules.

import { collectOptionNames, nameSet } from "../programs/optionNames.ts";
import type { Closed, ProgramRow } from "../programs/ProgramRow.ts";
import { type Arguments, findOptions, hasOption, parseArgv } from "../programs/parseArgv.ts";
import { findRow, normalizeProgram } from "../programs/programTable.ts";
import { getVerb } from "../risk/shell/assessProgram.ts";
import { findCommand } from "../risk/shell/launchers.ts";
import {
  combineRules,
  type Forbidden,
  forbidAll,
  forbidValues,
  forbidWholeWords,
  type InjectionRule,
  MARK,
} from "./InjectionRule.ts";
import {
  bun,
  CODE,
  database,
  deno,
  find,
  git,
  java,
  ORDERS,
  STARTS,
  schemes,
  tar,
  WRITES,
} from "./interpreterRules.ts";

const CLOSED: Readonly<Record<Closed, string>> = {
  code: `whatever it is given ${CODE}`,
  starts: STARTS,
  orders: ORDERS,
  fetches: "it runs what a package or its own file says",
  leaves: "what leaves the machine goes through an `http-client` component, whose addresses are guarded",
  controls: "its words choose which machine or cluster it acts on, and what is done there",
  rights: "it runs programs with other rights; have the gateway run as a user who may",
};

const EXTRA: ReadonlyMap<string, InjectionRule> = new Map<string, InjectionRule>([
  ["bun", bun],
  ["deno", deno],
  ["java", java],
  ["find", find],
  ["git", git],
  ["tar", tar],
  ["rsync", schemes],
  ["zip", forbidValues(/^-TT|^--unzip-command/, STARTS)],
  ["dd", forbidWholeWords("it would choose what is written to (`of=`)")],
  ...["psql", "mysql", "mariadb", "sqlite", "duckdb"].map((name) => [name, database] as const),
  ...["convert", "magick", "mogrify", "identify", "ffmpeg", "ffprobe"].map((name) => [name, schemes] as const),
]);

/** The rule of a program by its name; undefined if the table does not contain it. */
export function getInjectionRule(program: string): InjectionRule | undefined {
  const row = findRow(program);
  const extra = EXTRA.get(program) ?? EXTRA.get(program.replace(/[-.]?\d[\d.]*$/, ""));
  if (!row) return extra;
  if (row.closed) return closedPlaces(row, row.closed);
  const own = combineRules(optionPlaces(row), scriptPlaces(row), verbPlaces(row));
  return extra ? combineRules(own, extra) : own;
}

const INSTEAD: Readonly<Partial<Record<Closed, string>>> = {
  leaves:
    "Write an `http-client` component that has the address in `base_url` and the value in `path`, `query` or `body`.",
  controls: "Write these words as literals, with one action for each choice.",
};

/** Forbids all positions of a closed program, except the values of its open options after a read-only verb. */
function closedPlaces(row: ProgramRow, closed: Closed): InjectionRule {
  const { open = "" } = row;
  const options = open.split(" ").filter((name) => name.length > 1);
  const shown = options.map((name) => `\`--${name}=\``).join(", ");
  const hint = open && ` A verb that only reads takes a value behind ${shown}.`;
  const advice = INSTEAD[closed];
  const instead = advice && `${advice}${hint}`;
  return (words) => {
    const args = parseArgv(words, collectOptionNames(row));
    const isRead = open !== "" && getVerb(row, args.operands)?.row.reads === true;
    const allowed = new Set(isRead ? findOptions(args, nameSet(open)).map(({ at }) => at) : []);
    return forbidAll(CLOSED[closed])(words).flatMap((place) =>
      typeof place.at === "number" && allowed.has(place.at) ? [] : [{ ...place, instead }],
    );
  };
}

/** Values of options that are code, choose code, or name what is written or sent. */
function optionPlaces(row: ProgramRow): InjectionRule {
  const { code = "", chooses = "", writes = "", sends = "", sql = "" } = row;
  return (words) => {
    const args = parseArgv(words, collectOptionNames(row));
    const places = (names: string, why: string): readonly Forbidden[] =>
      findOptions(args, nameSet(names)).map(({ at }) => ({ at, why }));
    return [
      ...places(writes, WRITES).map((place) => ({ ...place, unlessPath: true as const })),
      ...places(sends, CLOSED.leaves),
      ...places(sql, ORDERS),
      ...places(chooses, STARTS),
      ...places(code, row.script === undefined ? STARTS : `it ${CODE}`),
    ];
  };
}

/** Places behind the verb of a program, by the verb's own row. */
function verbPlaces(row: ProgramRow): InjectionRule {
  return (words) => {
    const verb = getVerb(row, parseArgv(words, collectOptionNames(row)).operands);
    if (!verb) return [];
    const from = verb.operand.at + 1;
    const behind = combineRules(optionPlaces(verb.row), verbPlaces(verb.row))(words.slice(from));
    return behind.map((place) => (place.at === "stdin" ? place : { ...place, at: from + place.at }));
  };
}

/** The script of an interpreter, the arguments after inline code, and standard input if it reads code from there. */
function scriptPlaces(row: ProgramRow): InjectionRule {
  const { script = 0, runsScript = false, input = "" } = row;
  if (script === 0) return () => [];
  const why = `it ${CODE}`;
  return (words) => {
    const args = parseArgv(words, collectOptionNames(row));
    const [brought, value] = codeOption(row, args);
    const named = args.operands.slice(0, script);
    const operands = brought === undefined ? named : [];
    const behind =
      brought === undefined || !runsScript ? [] : words.flatMap((_, at) => (at > brought ? [{ at, why }] : []));
    const source = brought === undefined ? named[0]?.word : value;
    const reads = (source === undefined && brought === undefined) || isInput(source) || hasOption(args, nameSet(input));
    return [...operands.map(({ at }) => ({ at, why })), ...behind, ...(reads ? [{ at: "stdin" as const, why }] : [])];
  };
}

/** Index and value of the option that supplies the code. */
function codeOption({ code = "", chooses = "" }: ProgramRow, args: Arguments) {
  const [option] = findOptions(args, nameSet(`${code} ${chooses}`));
  return [option?.at, option?.value] as const;
}

/** Returns true if the word is a name of standard input. */
function isInput(word: string | undefined): boolean {
  return word !== undefined && /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(word);
}

/**
 * Forbidden positions after an unknown program, which may start a program that its arguments name. At each literal word that
 * names an interpreter or a launcher, that program's rule applies.
 */
export const placesBehind: InjectionRule = (words) =>
  words.flatMap((word, at) => {
    const inner = word.includes(MARK) ? innerPlaces(word) : findForbidden(words, at);
    return inner.map((place) => ({ ...place, ...(typeof place.at === "number" && word.includes(MARK) && { at }) }));
  });

/** Programs that run code or start others by rules that data cannot say. */
const RUN_CODE: ReadonlySet<string> = new Set(["find", "bun", "deno"]);

function findForbidden(words: readonly string[], at: number): readonly Forbidden[] {
  const name = normalizeProgram((words[at] ?? "").replace(/^--?[\w-]+=/, ""));
  const row = findRow(name);
  const next = words[at + 1] ?? "";
  if (!row || (row.word && !next.startsWith("-")) || name.length < 2) return [];
  const rest = words.slice(at + 1);
  const startsOthers =
    row.script !== undefined || /^(?:starts|rights|code|controls)$/.test(row.closed ?? "") || RUN_CODE.has(name);
  const rule = startsOthers ? getInjectionRule(name) : row.closed || row.verbs ? undefined : optionPlaces(row);
  const own = row.starts !== undefined && rest.some((word) => word.includes(MARK)) ? startedPlaces(words, at) : [];
  const behind = (rule?.(rest) ?? []).map((place) =>
    place.at === "stdin" ? place : { ...place, at: at + 1 + place.at },
  );
  return [...own, ...behind].map((place) => ({
    ...place,
    why: `\`${name}\` among the words may be started, and ${place.why}`,
  }));
}

/** After a launcher: a call must not choose the program that it starts. */
function startedPlaces(words: readonly string[], from: number): readonly Forbidden[] {
  const { at, unread } = findCommand(words.slice(from));
  const last = unread === undefined ? from + at : words.length - 1;
  return words.flatMap((word, place) =>
    place > from && place <= last && word.includes(MARK) ? [{ at: place, why: STARTS }] : [],
  );
}

/** A word that contains a command as one text with a placeholder. */
function innerPlaces(word: string): readonly Forbidden[] {
  const tokens = word.split(/\s+/);
  return tokens.length < 2
    ? []
    : tokens
        .flatMap((token, at) => (token.includes(MARK) ? [] : findForbidden(tokens, at)))
        .filter(({ at }) => at !== "stdin" && tokens[at]?.includes(MARK));
}
