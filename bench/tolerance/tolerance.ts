// Measures each tolerance of the parser: it parses all texts with and without the tolerance and counts the differences.
// Usage: npm run bench:tolerance -- [FOLDER]
//   FOLDER  folder of the corpora `bfcl`, `conformance` and `harmless`, `../shared` by default
import { existsSync } from "node:fs";
import { TOLERANCES } from "../../src/formats/specs/tolerances.ts";
import { runParser } from "../../test/support/parserRuns.ts";
import { type CheckedText, CORPORA, readTexts, toParsedCall } from "./texts.ts";

const folder = process.argv[2] ?? "../shared";
if (!existsSync(`${folder}/bfcl`)) {
  console.error(`${folder}/bfcl does not exist. Give the folder of the corpora: npm run bench:tolerance -- FOLDER`);
  process.exit(2);
}

/** The result of parsing one text. */
interface ParseResult {
  readonly isCorrect: boolean;
  /** Ids of the repairs that the calls report. */
  readonly repairs: ReadonlySet<string>;
}

interface ParsedText extends ParseResult {
  readonly checkedText: CheckedText;
}

const texts = readTexts(folder);
const corpora = CORPORA.map((name) => ({
  name,
  results: texts[name].map((checkedText): ParsedText => ({ checkedText, ...parseText(checkedText) })),
}));
printTotals();
printTolerances();

function printTotals(): void {
  for (const { name, results } of corpora) {
    const correct = results.filter(({ isCorrect }) => isCorrect).length;
    console.log(`${name.padEnd(12)} ${correct} of ${results.length} texts parsed correctly`);
  }
}

function printTolerances(): void {
  console.log("\n+ texts that are correct only with the tolerance, - texts that are correct only without it\n");
  console.log(`${"tolerance".padEnd(24)}${CORPORA.map((corpus) => corpus.padStart(16)).join("")}`);
  const withoutGain: string[] = [];
  for (const { id, accepts } of TOLERANCES) {
    const effects = corpora.map(({ results }) => measureTolerance(id, results));
    if (effects.every(({ gained }) => gained === 0)) withoutGain.push(id);
    const cells = effects.map(({ gained, lost }) => (gained + lost === 0 ? "" : `+${gained} -${lost}`).padStart(16));
    console.log(`${id.padEnd(24)}${cells.join("")}  ${accepts}`);
  }
  console.log(`\nTolerances without a gain on these texts: ${withoutGain.join(", ") || "none"}`);
}

/** Parses a text, if `without` is given without the tolerances that it names. */
function parseText({ text, circumstances, isCorrect }: CheckedText, without?: ReadonlySet<string>): ParseResult {
  const { setting, finishReason } = circumstances;
  const events = runParser([text], { setting: { ...setting, without }, finishReason });
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  const content = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return {
    isCorrect: isCorrect(calls.map(toParsedCall), content),
    repairs: new Set(calls.flatMap(({ repairs }) => repairs)),
  };
}

/** Counts the texts that are correct only with, and only without the tolerance `id`. */
function measureTolerance(id: string, results: readonly ParsedText[]) {
  // A repair affects only texts whose calls report it. Other tolerances, whose ids have a colon, may affect any text.
  const isRepair = !id.includes(":");
  const affected = results.filter(({ repairs }) => !isRepair || repairs.has(id));
  const pairs = affected.map(({ checkedText, isCorrect }) => ({
    withTolerance: isCorrect,
    withoutTolerance: parseText(checkedText, new Set([id])).isCorrect,
  }));
  return {
    gained: pairs.filter((pair) => pair.withTolerance && !pair.withoutTolerance).length,
    lost: pairs.filter((pair) => !pair.withTolerance && pair.withoutTolerance).length,
  };
}
