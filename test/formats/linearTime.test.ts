import { describe, expect, it } from "@jest/globals";
import { chunksOf } from "../support/chunkings.ts";
import { HOSTILE_FAMILIES, type HostileFamily } from "../support/hostileTexts.ts";
import { REQUESTS } from "../support/modelTexts.ts";
import { type Circumstances, countedParser } from "../support/parserRuns.ts";

const KB = 1024;
const MB = 1024 * KB;
/** `HOSTILE_MB=8` is the nightly size. */
const LARGE_MB = Number(process.env.HOSTILE_MB ?? 0.25);
/** Looks at one character that are allowed on average: the longest mark list that begins alike, and the candidates that fail late. */
const LOOKS = 30;
/** Doubling the text may at most double the time; the rest is the machine's noise. Decoders are not counted, so clocks judge them. */
const DOUBLING = 4;
/** Times below this are noise, in milliseconds. */
const NOISE_MS = 40;

interface Cost {
  readonly looks: number;
  readonly ms: number;
}

const native = requestNamed(0);
const labelled = requestNamed(3);

function requestNamed(index: number): Circumstances {
  const request = REQUESTS[index];
  if (!request) throw new Error(`There is no request ${index}.`);
  return request;
}

/** Reads a text and forgets what it says: the events of each piece are dropped at once. */
function costOf(chunks: readonly string[], { setting, finishReason }: Circumstances): Cost {
  const parser = countedParser(setting);
  const started = performance.now();
  let characters = 0;
  for (const chunk of chunks) {
    parser.feed(chunk);
    characters += chunk.length;
  }
  parser.finish(finishReason);
  return { looks: parser.inspected / characters, ms: performance.now() - started };
}

/** The cheaper of two runs: the first warms the code up. */
function bestOf({ text }: HostileFamily, characters: number): Cost {
  const chunks = [text(characters)];
  const first = costOf(chunks, native);
  const second = costOf(chunks, native);
  return { looks: first.looks, ms: Math.min(first.ms, second.ms) };
}

describe("hostile texts cost what their length costs", () => {
  it("in at least forty families, each of the length that is asked for", () => {
    expect(HOSTILE_FAMILIES.length).toBeGreaterThanOrEqual(40);
    expect(HOSTILE_FAMILIES.filter(({ text }) => text(5000).length !== 5000)).toEqual([]);
  });

  it.each(HOSTILE_FAMILIES)("$name: 64 KB, a character at a time", ({ text }) => {
    expect(costOf(chunksOf(text(64 * KB), 1), native).looks).toBeLessThan(LOOKS);
  });

  it.each(HOSTILE_FAMILIES)("$name: 64 KB where labelled text was asked for", ({ text }) => {
    expect(costOf([text(64 * KB)], labelled).looks).toBeLessThan(LOOKS);
  });

  it.each(HOSTILE_FAMILIES)("$name: twice the text, twice the time", (family) => {
    const small = bestOf(family, 64 * KB);
    const large = bestOf(family, 128 * KB);
    expect(large.looks).toBeLessThan(LOOKS);
    expect(large.ms).toBeLessThan(DOUBLING * Math.max(small.ms, NOISE_MS));
  });

  it.each(HOSTILE_FAMILIES)(
    `$name: ${LARGE_MB} MB at once`,
    ({ text }) => {
      expect(costOf([text(LARGE_MB * MB)], native).looks).toBeLessThan(LOOKS);
    },
    120_000,
  );
});
