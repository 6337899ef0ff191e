import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { FORMATS } from "../../../src/formats/specs/lookupTables.ts";
import { standardChunkings } from "../../support/chunkings.ts";
import { brokenPromise } from "../../support/compareRuns.ts";
import { type CorpusCase, corpusReader, loadCorpus } from "../../support/corpus.ts";
import { meaningOf, runParser } from "../../support/parserRuns.ts";

/** Cases that a family needs: single, parallel, typed, truncated, malformed, mentioned in prose. */
const CASES_PER_FAMILY = 6;
/** Random cuts of each case; `npm run test:heavy` makes more. */
const SEEDS = 12;

const corpus = loadCorpus();
const read = corpusReader();

/** What a case says about itself, or what the parser made of it. */
interface Outcome {
  readonly id: string;
  readonly content: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly unknown[];
  readonly issues: readonly string[];
  readonly origins: readonly string[];
}

function outcomeOf(one: CorpusCase): Outcome {
  const events = runParser([one.text], read(one));
  const { calls, ...rest } = meaningOf(events);
  const origins = events.flatMap((event) => (event.type === "call" ? [event.call.origin] : []));
  return {
    id: one.id,
    ...rest,
    calls: calls.map((call, index) => ({ ...call, arguments: comparable(call.arguments, one, index) })),
    origins: [...new Set(origins)],
  };
}

/** Arguments as values, so that the spelling of JSON is compared only where the case gives one. */
function comparable(text: string, { expected }: CorpusCase, index: number): unknown {
  return typeof expected.calls[index]?.arguments === "string" ? text : JSON.parse(text);
}

function expectationOf({ id, family: named, expected }: CorpusCase, family: string): Outcome {
  const { content, reasoning, calls, issues = [] } = expected;
  return { id, content, reasoning, calls, issues, origins: calls.length > 0 ? [named ?? family] : [] };
}

describe("the corpus of model outputs", () => {
  it("has at least six cases of every family of the catalogue", () => {
    const counts = new Map(corpus.map(({ family, cases }) => [family, cases.length]));
    const poor = FORMATS.filter(({ id }) => (counts.get(id) ?? 0) < CASES_PER_FAMILY).map(
      ({ id }) => `${id}: ${counts.get(id) ?? 0}`,
    );
    expect(poor).toEqual([]);
  });

  it("gives each case an id of its own, in its family's name", () => {
    const ids = corpus.flatMap(({ cases }) => cases.map(({ id }) => id));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const misplaced = corpus.flatMap(({ family, cases }) => cases.filter(({ id }) => !id.startsWith(`${family}/`)));
    expect(misplaced.map(({ id }) => id)).toEqual([]);
  });
});

describe.each(corpus)("outputs of $family", ({ family, cases }) => {
  it(`read as the ${cases.length} cases expect`, () => {
    const wrong = cases
      .map((one) => [outcomeOf(one), expectationOf(one, family)] as const)
      .filter(([outcome, expectation]) => !isDeepStrictEqual(outcome, expectation));
    expect(wrong.map(([outcome]) => outcome)).toEqual(wrong.map(([, expectation]) => expectation));
  });

  it("mean the same in every chunking and keep every character", () => {
    const faults = cases.flatMap((one) => {
      const fault = brokenPromise(one.text, read(one), standardChunkings(one.text, SEEDS));
      return fault === undefined ? [] : [`${one.id} in ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
