// Splits a stream of text into lines, a batch for each piece that arrived. Knows no meaning of a line.

/** Batches of whole lines, without their ends; the last batch may hold a line that had none. Memory: one piece and one line. */
export async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<readonly string[], void, undefined> {
  input.setEncoding("utf8");
  // A long line comes in many pieces: they are joined once, when its end has come.
  let begun: string[] = [];
  for await (const piece of input) {
    const parts = String(piece).split("\n");
    const [first = "", ...rest] = parts;
    if (rest.length === 0) {
      begun.push(first);
      continue;
    }
    const last = rest.pop() ?? "";
    yield [[...begun, first].join(""), ...rest];
    begun = last === "" ? [] : [last];
  }
  if (begun.length > 0) yield [begun.join("")];
}
