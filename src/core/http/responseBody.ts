// Reads the body of an answer up to a number of bytes, or closes it without reading.
import type { EgressResponse } from "../ports.ts";

export interface BodyBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** False if there was more than the limit; the connection is then closed. */
  readonly isWhole: boolean;
}

/** Reads at most `most` bytes. Rejects as the body does. */
export async function readBodyBytes({ body }: EgressResponse, most: number): Promise<BodyBytes> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > most) break;
  }
  const bytes = new Uint8Array(Math.min(length, most));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.subarray(0, bytes.length - at), at);
    at += piece.length;
  }
  return { bytes, isWhole: length <= most };
}

/** Closes an answer without reading it. */
export async function discardBody({ body }: EgressResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}
