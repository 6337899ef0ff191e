import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { everySplit, standardChunkings } from "../../support/chunkings.ts";
import { brokenPromise } from "../../support/compareRuns.ts";
import { fuzzParser } from "../../support/fuzzParser.ts";
import { HOSTILE_FAMILIES } from "../../support/hostileTexts.ts";
import { modelTexts, REQUESTS, requests } from "../../support/modelTexts.ts";
import { transcriptTexts } from "../../support/transcriptTexts.ts";

describe("no chunking changes what a model's text means", () => {
  it("at every split of generated short texts", () => {
    fc.assert(
      fc.property(modelTexts(5), requests, (text, request) => {
        expect(brokenPromise(text, request, everySplit(text))).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it("in the fixed sizes and random cuts of generated longer texts", () => {
    fc.assert(
      fc.property(modelTexts(40), requests, (text, request) => {
        expect(brokenPromise(text, request, standardChunkings(text, 8))).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it("where a capture reaches its limit inside a string, which a reader that waits must notice", () => {
    const text = '<|tool_call>call:se[{"name": "functions.set_lamp", "parameters": {"colour": "red"}}]';
    const faults = REQUESTS.flatMap((request) =>
      Array.from({ length: text.length }, (_, captureChars) => ({
        ...request,
        setting: { ...request.setting, captureChars: captureChars + 1 },
      })).flatMap((limited) => brokenPromise(text, limited, standardChunkings(text, 2)) ?? []),
    );
    expect(faults).toEqual([]);
  });

  it("where a body that does not balance is read again up to the last character that has come", () => {
    const text = '[TOOL_CALLS]set_lamp[ARGS]{"colour": "red", "seconds": [1, 2}></s>';
    const faults = REQUESTS.flatMap((request) => brokenPromise(text, request, everySplit(text)) ?? []);
    expect(faults).toEqual([]);
    expect(REQUESTS.flatMap((request) => brokenPromise(text, request, standardChunkings(text, 4)) ?? [])).toEqual([]);
  });

  it("in the recorded streams, whatever was asked", () => {
    const faults = transcriptTexts().flatMap(({ name, text }) =>
      REQUESTS.flatMap((request) => brokenPromise(text, request, standardChunkings(text, 1)) ?? []).map(
        (fault) => `${name}: ${fault}`,
      ),
    );
    expect(faults).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("in a hostile text: $name", ({ text }) => {
    const hostile = text(300);
    const faults = REQUESTS.slice(0, 4).flatMap(
      (request) => brokenPromise(hostile, request, standardChunkings(hostile, 2)) ?? [],
    );
    expect(faults).toEqual([]);
  });

  it("in a short run of the fuzzer", () => {
    expect(fuzzParser({ inputs: 1000 }).difference).toBeUndefined();
  });
});
