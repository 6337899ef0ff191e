import { describe, expect, it } from "@jest/globals";
import { corpusReader, loadCorpus } from "../support/corpus.ts";
import { HOSTILE_FAMILIES } from "../support/hostileTexts.ts";
import { REQUESTS } from "../support/modelTexts.ts";
import { type Circumstances, countedParser, runParser, settledEvents } from "../support/parserRuns.ts";

/** Far below the default, so that slices end in the middle of everything. */
const SIZES = [1, 7];

const read = corpusReader();

function inSlices(text: string, circumstances: Circumstances, sliceChars: number): string {
  const setting = { ...circumstances.setting, sliceChars };
  return JSON.stringify(settledEvents(runParser([text], { ...circumstances, setting })));
}

function faults(text: string, circumstances: Circumstances): readonly string[] {
  const whole = inSlices(text, circumstances, Number.MAX_SAFE_INTEGER);
  return SIZES.filter((size) => inSlices(text, circumstances, size) !== whole).map((size) => `in slices of ${size}`);
}

describe("a text that is read in slices means what it means at once", () => {
  it.each(loadCorpus())("outputs of $family", ({ cases }) => {
    expect(cases.flatMap((one) => faults(one.text, read(one)).map((fault) => `${one.id} ${fault}`))).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("$name", ({ text }) => {
    expect(REQUESTS.flatMap((circumstances) => faults(text(400), circumstances))).toEqual([]);
  });
});

describe("a slice", () => {
  it("is followed by another where the text is long, and by none where it is short", () => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const parser = countedParser(native.setting);
    expect([...parser.feedSlices("a word ")].map(({ more }) => more)).toEqual([false]);
    expect([...parser.feedSlices("a word ".repeat(10_000))].map(({ more }) => more)).toEqual([
      ...Array(8).fill(true),
      false,
    ]);
  });

  it("ends where a text that was held is read again, however long it is", () => {
    const [native] = REQUESTS;
    if (!native) throw new Error("There is no request.");
    const parser = countedParser(native.setting);
    parser.feed(`<think>${"[TOOL_CALLS]".repeat(50_000)}`);
    expect([...parser.finishSlices("stop")].length).toBeGreaterThan(30);
  });
});
