// Embeddings as a server gives them, of which a test knows what is near: a vector counts the words of its text, and words of one meaning are one. Calls no model.
import type { IncomingMessage, ServerResponse } from "node:http";

/** Words that mean the same, as far as these tests go. */
const MEANINGS: readonly (readonly string[])[] = [
  ["cat", "cats", "feline", "felines", "kitten", "kittens"],
  ["car", "cars", "automobile", "automobiles", "vehicle"],
  ["tea", "infusion"],
  ["invoice", "bill"],
];

/** The same text is the same vector, on every machine. */
function vectorOf(text: string, dimension: number): readonly number[] {
  const vector = new Array<number>(dimension).fill(0);
  vector[0] = 0.01;
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const at = placeOf(MEANINGS.find((words) => words.includes(word))?.[0] ?? word, dimension);
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

function placeOf(word: string, dimension: number): number {
  let hash = 2_166_136_261;
  for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return 1 + (hash % (dimension - 1));
}

/** Answers POST …/embeddings, the entries in the opposite order: it is `index` that says whose a vector is. */
export function answerEmbeddings(
  { model, input }: { readonly model: string; readonly input: readonly string[] },
  response: ServerResponse<IncomingMessage>,
  dimension: number,
): void {
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, dimension) }));
  response.writeHead(200, { "content-type": "application/json" });
  const usage = { prompt_tokens: input.length, total_tokens: input.length };
  response.end(JSON.stringify({ object: "list", model, data: data.reverse(), usage }));
}
