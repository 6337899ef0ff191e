import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { chunksOf } from "../../support/chunkings.ts";
import { corpusReader, loadCorpus } from "../../support/corpus.ts";
import { HOSTILE_FAMILIES } from "../../support/hostileTexts.ts";
import { modelTexts, REQUESTS, requests } from "../../support/modelTexts.ts";
import { type Circumstances, lostCharacters, runParser } from "../../support/parserRuns.ts";
import { runsOf } from "../../support/sample.ts";
import { transcriptTexts } from "../../support/transcriptTexts.ts";

/** Places at which each case of the corpus is cut short, its end among them. */
const CUTS = 4;

/** What is lost of a text read whole or character by character, if anything is. */
function lost(text: string, circumstances: Circumstances): string | undefined {
  return (
    lostCharacters(runParser([text], circumstances), text) ??
    lostCharacters(runParser(chunksOf(text, 1), circumstances), text)
  );
}

describe("every character of a model's text is accounted for once, in order", () => {
  it("in the corpus, even where the text is cut short at any place", () => {
    const read = corpusReader();
    const faults = loadCorpus().flatMap(({ cases }) =>
      cases.flatMap((one) => {
        const circumstances = read(one);
        const cuts = Array.from({ length: CUTS }, (_, index) => Math.ceil((one.text.length * (index + 1)) / CUTS));
        return cuts.flatMap((to) => {
          const fault = lost(one.text.slice(0, to), circumstances);
          return fault === undefined ? [] : [`${one.id} up to ${to}: ${fault}`];
        });
      }),
    );
    expect(faults).toEqual([]);
  });

  it("in the recorded streams, whatever was asked", () => {
    const texts = transcriptTexts();
    expect(texts.length).toBeGreaterThan(10);
    const faults = texts.flatMap(({ name, text }) =>
      REQUESTS.flatMap((request) => lost(text, request) ?? []).map((fault) => `${name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("in a hostile text: $name", ({ text }) => {
    expect(REQUESTS.slice(0, 4).flatMap((request) => lost(text(300), request) ?? [])).toEqual([]);
  });

  it("in random texts of marks, calls and prose", () => {
    fc.assert(
      fc.property(modelTexts(16), requests, (text, request) => {
        expect(lost(text, request)).toBeUndefined();
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("in random characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), requests, (text, request) => {
        expect(lost(text, request)).toBeUndefined();
      }),
      { numRuns: runsOf(500) },
    );
  });
});
