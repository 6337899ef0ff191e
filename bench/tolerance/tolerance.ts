// `npm run bench:tolerance -- FOLDER`: each tolerance is switched off, and what that changes on BFCL's outputs, conformance fixtures and
// plain answers, and on the own corpus, is its price. FOLDER holds the first three; without it they are looked for beside the project.
import { existsSync } from "node:fs";
import { TOLERANCES } from "../../src/formats/specs/tolerances.ts";
import { runParser } from "../../test/support/parserRuns.ts";
import { CORPORA, calledOf, readTexts, type WeighedText } from "./texts.ts";

const folder = process.argv[2] ?? "../shared";
if (!existsSync(`${folder}/bfcl`)) {
  console.error(
    `There is no ${folder}/bfcl: name the folder of the corpora, as in npm run bench:tolerance -- ../shared`,
  );
  process.exit(2);
}

const corpora = readTexts(folder);
const baseline = CORPORA.map((corpus) => corpora[corpus].map((text) => ({ text, ...read(text) })));
CORPORA.forEach((corpus, at) => {
  const right = baseline[at]?.filter((one) => one.right).length;
  console.log(`${corpus.padEnd(12)} ${right} of ${baseline[at]?.length} read right`);
});
console.log(`\nWon: right with it, wrong without; lost: the other way round.\n`);
console.log(`${"tolerance".padEnd(24)}${CORPORA.map((corpus) => corpus.padStart(16)).join("")}`);
const idle: string[] = [];
for (const { id, accepts } of TOLERANCES) {
  const prices = baseline.map((texts) => priceOf(id, texts));
  if (prices.every(({ won }) => won === 0)) idle.push(id);
  const figures = prices.map(({ won, lost }) => (won + lost === 0 ? "" : `+${won} -${lost}`).padStart(16));
  console.log(`${id.padEnd(24)}${figures.join("")}  ${accepts}`);
}
console.log(`\nWithout a gain on these texts: ${idle.join(", ") || "none"}`);

interface Read {
  readonly right: boolean;
  readonly repairs: ReadonlySet<string>;
}

function read({ text, circumstances, isRight }: WeighedText, without?: ReadonlySet<string>): Read {
  const { setting, finishReason } = circumstances;
  const events = runParser([text], { setting: { ...setting, without }, finishReason });
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  const content = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return { right: isRight(calls.map(calledOf), content), repairs: new Set(calls.flatMap(({ repairs }) => repairs)) };
}

/** A text none of whose calls reports the repair is read the same without it. */
function priceOf(id: string, texts: readonly (Read & { readonly text: WeighedText })[]) {
  const isRepair = !id.includes(":");
  const changed = texts.filter(({ repairs }) => !isRepair || repairs.has(id));
  const pairs = changed.map(({ text, right }) => ({ right, without: read(text, new Set([id])).right }));
  return {
    won: pairs.filter(({ right, without }) => right && !without).length,
    lost: pairs.filter(({ right, without }) => !right && without).length,
  };
}
