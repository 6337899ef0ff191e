// Finds the nearest of many vectors by reading each, in slices that yield to other work.
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";

export interface Near<Key> {
  readonly key: Key;
  /** Cosine distance, from 0 (the same direction) to 2. */
  readonly distance: number;
}

export interface NearSlice<Key> {
  readonly matches: readonly Near<Key>[];
  /** Key after which the next slice begins; absent for the last slice. */
  readonly last?: Key | undefined;
}

/** Bytes of vectors of one slice: 2,730 of 384 numbers are compared within some five milliseconds. */
const SLICE_BYTES = 4_194_304;
const BYTES_OF_A_NUMBER = 4;

/** Number of vectors in one slice. */
export function computeSliceSize(dimension: number): number {
  return Math.max(1, Math.floor(SLICE_BYTES / (BYTES_OF_A_NUMBER * dimension)));
}

/** @param slice returns the nearest vectors among those after `after`, at most `most` */
export async function findNearest<Key>(
  slice: (after: Key | undefined) => Promise<NearSlice<Key>>,
  limit: number,
): Promise<readonly Near<Key>[]> {
  let best: readonly Near<Key>[] = [];
  for (let after: Key | undefined; ; ) {
    const { matches, last } = await slice(after);
    best = [...best, ...matches].sort((a, b) => a.distance - b.distance).slice(0, limit);
    if (last === undefined) return best;
    after = last;
    await yieldToEventLoop();
  }
}

/** Converts a vector to its stored bytes. */
export function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
