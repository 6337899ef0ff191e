import { describe, expect, it } from "@jest/globals";
import { FAMILIES } from "../../src/formats/families/catalogue.ts";
import { standardChunkings } from "../support/chunkings.ts";
import { brokenPromise } from "../support/compareRuns.ts";
import { type CorpusCase, corpusReader, loadCorpus } from "../support/corpus.ts";
import { meaningOf, runParser } from "../support/parserRuns.ts";

/** Cases that a family needs: single, parallel, typed, truncated, malformed, mentioned in prose. */
const CASES_PER_FAMILY = 6;
const SEEDS = 64;

const corpus = loadCorpus();
const read = corpusReader();

/** Arguments as values, so that the spelling of JSON is not compared where the case gives an object. */
function comparable(calls: CorpusCase["expected"]["calls"]): unknown {
  return calls.map(({ name, arguments: args }) => ({ name, arguments: argumentsOf(args) }));
}

function argumentsOf(args: unknown): unknown {
  return typeof args === "string" ? JSON.parse(args) : args;
}

describe("the corpus of model outputs", () => {
  it("has at least six cases of every family of the catalogue", () => {
    const counts = new Map(corpus.map(({ family, cases }) => [family, cases.length]));
    const poor = FAMILIES.filter(({ id }) => (counts.get(id) ?? 0) < CASES_PER_FAMILY).map(
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

for (const { family, cases } of corpus) {
  describe(`outputs of ${family}`, () => {
    it.each(cases)("$id reads as expected", (one) => {
      const events = runParser([one.text], read(one));
      const meaning = meaningOf(events);
      expect({ ...meaning, calls: comparable(meaning.calls) }).toEqual({
        content: one.expected.content,
        reasoning: one.expected.reasoning,
        calls: comparable(one.expected.calls),
        issues: one.expected.issues ?? [],
      });
      // A spelling that was given as text is kept to the letter.
      one.expected.calls.forEach((call, index) => {
        if (typeof call.arguments === "string") expect(meaning.calls[index]?.arguments).toBe(call.arguments);
      });
      const origins = events.flatMap((event) => (event.type === "call" ? [event.call.origin] : []));
      expect(new Set(origins)).toEqual(new Set(origins.length > 0 ? [one.family ?? family] : []));
    });

    it.each(cases)("$id means the same in every chunking and keeps every character", (one) => {
      expect(brokenPromise(one.text, read(one), standardChunkings(one.text, SEEDS))).toBeUndefined();
    });
  });
}
