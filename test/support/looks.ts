// How much work the parser does for a text, in characters that it looks at or hands to decoders.
import { type Circumstances, countedParser } from "./parserRuns.ts";

export const KB = 1024;
export const MB = 1024 * KB;

/** Looks at one character that are allowed on average: the worst family needs 21.5 (a list's bullets as labelled text), at any length. */
export const LOOKS = 25;

/** Reads a text and forgets what it says: the events of each piece are dropped at once. */
export function looksPerCharacter(chunks: readonly string[], circumstances: Circumstances | undefined): number {
  if (!circumstances) throw new Error("There is no such request.");
  const parser = countedParser(circumstances.setting);
  let characters = 0;
  for (const chunk of chunks) {
    parser.feed(chunk);
    characters += chunk.length;
  }
  parser.finish(circumstances.finishReason);
  return parser.inspected / characters;
}
