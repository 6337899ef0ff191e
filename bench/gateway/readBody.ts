// Reads whole bodies for the bare proxy and for the rungs of the ladder.

/** Resolves to all bytes of `stream`. @throws Error if the stream fails before its end. */
export function readBody(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    stream.on("error", reject);
  });
}
