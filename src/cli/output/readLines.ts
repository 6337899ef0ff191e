// Splits a stream of text into lines, one batch for each piece that arrived.

/**
 * Batches of complete lines without line breaks; the last batch may contain an unterminated line. Memory: one piece and one
 * line.
 */
export async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<readonly string[], void, undefined> {
  input.setEncoding("utf8");
  // A long line comes in many pieces: they are joined once, when its end has come.
  let partialLines: string[] = [];
  for await (const piece of input) {
    const parts = String(piece).split("\n");
    const [first = "", ...rest] = parts;
    if (rest.length === 0) {
      partialLines.push(first);
      continue;
    }
    const last = rest.pop() ?? "";
    yield [[...partialLines, first].join(""), ...rest];
    partialLines = last === "" ? [] : [last];
  }
  if (partialLines.length > 0) yield [partialLines.join("")];
}
