// The parser's fuzz target: generated texts in random cuts, until a count or a time is reached. Reports, judges nothing.
import fc from "fast-check";
import { chunksOf, randomChunks } from "./chunkings.ts";
import { brokenPromise } from "./compareRuns.ts";
import { modelTexts, requests } from "./modelTexts.ts";
import type { Circumstances } from "./parserRuns.ts";

export interface FuzzReport {
  readonly inputs: number;
  /** Cut runs compared with a whole one. */
  readonly chunkings: number;
  readonly seed: number;
  /** The smallest text found for which a promise is broken, and how. */
  readonly difference?: { readonly text: string; readonly request: Circumstances; readonly broken: string } | undefined;
}

/** Reads each input whole, character by character and in two random cuts. `seed`: repeat a run. */
export function fuzzParser(box: {
  readonly inputs: number;
  /** Where it ends before all inputs are read. */
  readonly seconds?: number | undefined;
  readonly seed?: number | undefined;
}): FuzzReport {
  let inputs = 0;
  let chunkings = 0;
  const compare = (text: string, request: Circumstances, seed: number): string | undefined => {
    const cuts = [
      { name: "size 1", chunks: chunksOf(text, 1) },
      { name: `seed ${seed}`, chunks: randomChunks(text, seed) },
      { name: `seed ${seed + 1}`, chunks: randomChunks(text, seed + 1) },
    ];
    inputs += 1;
    chunkings += cuts.length;
    return brokenPromise(text, request, cuts);
  };
  const run = fc.check(
    fc.property(
      modelTexts(12),
      requests,
      fc.nat(),
      (text, request, seed) => compare(text, request, seed) === undefined,
    ),
    {
      numRuns: box.inputs,
      ...(box.seconds !== undefined && { interruptAfterTimeLimit: box.seconds * 1000 }),
      ...(box.seed !== undefined && { seed: box.seed }),
    },
  );
  const counted = { inputs, chunkings, seed: run.seed };
  if (!run.counterexample) return counted;
  const [text, request, seed] = run.counterexample;
  return { ...counted, difference: { text, request, broken: compare(text, request, seed) ?? "it throws" } };
}
