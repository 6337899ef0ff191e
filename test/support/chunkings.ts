// Ways to cut a text into the pieces a stream could bring. Cuts anywhere, between the halves of a surrogate pair too.

export interface Chunking {
  readonly name: string;
  readonly chunks: readonly string[];
}

/** The sizes that every fixture is read in (reliability G2). */
const SIZES = [1, 2, 3, 7, 13, 64];
/** The longest piece of a random cut. */
const RANDOM_LIMIT = 16;

/** Whole, the fixed sizes, token-like pieces, and `seeds` random cuts. */
export function standardChunkings(text: string, seeds: number): readonly Chunking[] {
  return [
    { name: "whole", chunks: [text] },
    ...SIZES.map((size) => ({ name: `size ${size}`, chunks: chunksOf(text, size) })),
    { name: "tokens", chunks: tokensOf(text) },
    ...Array.from({ length: seeds }, (_, seed) => ({ name: `seed ${seed}`, chunks: randomChunks(text, seed) })),
  ];
}

/** Every cut into two pieces. */
export function everySplit(text: string): readonly Chunking[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => ({
    name: `split at ${index + 1}`,
    chunks: [text.slice(0, index + 1), text.slice(index + 1)],
  }));
}

export function chunksOf(text: string, size: number): readonly string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size));
  return chunks;
}

/** Pieces of the size that a model's vocabulary has: short words with their blank, digits, single signs. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/ ?[A-Za-z]{1,6}|\d{1,3}|\s+|[\s\S]/g) ?? [];
}

/** Pieces of 1 to 16 characters; the same seed gives the same cut. */
export function randomChunks(text: string, seed: number): readonly string[] {
  const random = seededRandom(seed);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * RANDOM_LIMIT);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** A small generator (mulberry32) of numbers from 0 to below 1. */
export function seededRandom(seed: number): () => number {
  let state = seed + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
