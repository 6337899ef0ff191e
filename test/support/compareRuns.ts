// The two promises that hold for every text: the chunking changes nothing, and no character is lost. Says how they are broken.
import type { Chunking } from "./chunkings.ts";
import { type Circumstances, lostCharacters, runParser, settledEvents } from "./parserRuns.ts";

/** Undefined where all chunkings give the events of the whole text and those hold every character; else what differs. */
export function brokenPromise(
  text: string,
  circumstances: Circumstances,
  chunkings: readonly Chunking[],
): string | undefined {
  const whole = settledEvents(runParser([text], circumstances));
  const lost = lostCharacters(whole, text);
  if (lost !== undefined) return `whole: ${lost}; ${JSON.stringify(whole)}`;
  // Compared as text: thousands of runs are, and texts compare fast.
  const spelt = JSON.stringify(whole);
  for (const { name, chunks } of chunkings) {
    const events = settledEvents(runParser(chunks, circumstances));
    if (JSON.stringify(events) === spelt) continue;
    const at = whole.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(events[index]));
    const index = at < 0 ? whole.length : at;
    return `${name}: event ${index} is ${JSON.stringify(events[index])}, and ${JSON.stringify(whole[index])} for the whole text`;
  }
  return undefined;
}
