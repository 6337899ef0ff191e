import { describe, expect, it } from "@jest/globals";
import { standardChunkings } from "../support/chunkings.ts";
import { brokenPromise } from "../support/compareRuns.ts";
import { corpusReader, loadCorpus } from "../support/corpus.ts";

const SEEDS = 64;

const read = corpusReader();

describe.each(loadCorpus())("outputs of $family", ({ cases }) => {
  it(`mean the same in ${SEEDS} random cuts`, () => {
    const faults = cases.flatMap((one) => {
      const fault = brokenPromise(one.text, read(one), standardChunkings(one.text, SEEDS));
      return fault === undefined ? [] : [`${one.id} in ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
