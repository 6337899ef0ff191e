// Decompresses response bodies by their content encoding.
import type { Readable, Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** Encodings that the gateway accepts. Plain bytes are preferred: a proxy that compresses a stream often delays it. */
export const ACCEPTED_ENCODINGS = "identity, gzip;q=0.5, br;q=0.5, deflate;q=0.5";

/**
 * Returns the coding of a content-encoding header, `identity` if there is none. Undefined for an unknown coding, and for
 * several nested ones: each may expand to a thousand times its bytes.
 */
export function readCoding(header: string | readonly string[] | undefined): string | undefined {
  const [coding = "identity", ...others] = String(header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  return others.length === 0 && (coding === "identity" || DECODERS.has(coding)) ? coding : undefined;
}

/**
 * Returns the decoded bytes. Nothing is decompressed before the consumer reads it, since the consumer counts the bytes. An error of the
 * source or the coding is an error of the returned stream. Destroying that closes the source.
 */
export async function decodeContent(source: Readable, coding: string): Promise<Readable> {
  const decoder = DECODERS.get(coding)?.(coding === "deflate" ? await firstByte(source) : 0);
  return decoder ? chain(source, decoder) : source;
}

/** Returns true if the bytes are not in the coding. A truncated stream is no decoding error; the consumer detects an incomplete answer. */
export function isDecodingError(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return /^(Z_|ERR__ERROR_|ERR_PADDING)/.test(code);
}

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** `deflate` is a zlib stream by the standard (RFC 9110, 8.4.1.2), and raw data from some servers. The first byte decides. */
const DECODERS = new Map<string, (first: number) => Transform>([
  ["gzip", () => createGunzip(ZLIB)],
  ["x-gzip", () => createGunzip(ZLIB)],
  ["deflate", (first) => (isZlibHeader(first) ? createInflate(ZLIB) : createInflateRaw(ZLIB))],
  ["br", () => createBrotliDecompress(BROTLI)],
]);

/** Method 8 in the low half, a window of at most 32 KiB in the high one (RFC 1950, 2.2). */
function isZlibHeader(byte: number): boolean {
  return (byte & 0x0f) === 8 && byte >> 4 <= 7;
}

async function firstByte(input: Readable): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    input.once("readable", resolve).once("end", resolve).once("error", reject);
  });
  const first: unknown = input.read();
  if (!Buffer.isBuffer(first)) return 0;
  input.unshift(first);
  return first[0] ?? 0;
}

function chain(input: Readable, decoder: Transform): Readable {
  input.on("error", (error) => decoder.destroy(error));
  decoder.on("close", () => input.destroy());
  // An error before the first read must not end the process.
  decoder.on("error", () => {});
  return input.pipe(decoder);
}
