// Cuts bytes into other pieces. A piece may end within a character, as on a real connection.

/** Method of cutting a body: as recorded, pieces of `size` bytes (at least 1), one piece, or random offsets from `seed`. */
export type Chunking =
  | { readonly type: "recorded" }
  | { readonly type: "size"; readonly size: number }
  | { readonly type: "whole" }
  | { readonly type: "random"; readonly seed: number };

/** The pieces joined are the same bytes, whatever the chunking; no piece is empty. */
export function splitChunks(pieces: readonly Uint8Array[], chunking: Chunking): readonly Uint8Array[] {
  if (chunking.type === "recorded") return pieces.filter((piece) => piece.length > 0);
  const bytes = Buffer.concat(pieces);
  const nextSize = sizes(chunking, bytes.length);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = nextSize();
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** Maximum size of a random piece in bytes, small enough to cut markers and characters often. */
const LONGEST_RANDOM_PIECE = 48;

function sizes(chunking: Exclude<Chunking, { type: "recorded" }>, length: number): () => number {
  switch (chunking.type) {
    case "size":
      return () => Math.max(1, chunking.size);
    case "whole":
      return () => length;
    case "random": {
      const random = seededRandom(chunking.seed);
      return () => 1 + Math.floor(random() * LONGEST_RANDOM_PIECE);
    }
    default:
      return chunking satisfies never;
  }
}

/** A linear congruential generator (the constants of Numerical Recipes): enough to scatter cuts, and the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
