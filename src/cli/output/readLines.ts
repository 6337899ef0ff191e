// Splits a stream of text into lines, one batch for each piece that arrived.
import { LineReader } from "../../processes/LineReader.ts";

/**
 * Batches of complete lines without line breaks; the last batch may contain an unterminated line. Memory: one piece and one
 * line.
 */
export async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<readonly string[], void, undefined> {
  let lines: string[] = [];
  const reader = new LineReader(Number.POSITIVE_INFINITY, (line) => lines.push(line));
  for await (const piece of input) {
    reader.add(Buffer.from(piece));
    if (lines.length > 0) yield lines;
    lines = [];
  }
  reader.finish();
  if (lines.length > 0) yield lines;
}
