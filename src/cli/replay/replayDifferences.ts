// Replays one transcript through the gateway with several chunkings, and lists differences from the expected result.
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../core/config/configuration.ts";
import type { Expectation, Transcript } from "../../transcripts/format/Transcript.ts";
import type { Chunking } from "../../transcripts/replay/rechunk.ts";
import { replayTranscript } from "./replayTranscript.ts";

export const CHUNKINGS: readonly Chunking[] = [
  { type: "recorded" },
  { type: "whole" },
  { type: "size", size: 1 },
  { type: "size", size: 3 },
  { type: "size", size: 7 },
  ...[1, 2, 3, 4].map((seed) => ({ type: "random", seed }) as const),
];

/** One line per difference, with the chunkings and the field; empty if every replay matched. */
export async function findReplayDifferences(config: Config, transcript: Transcript): Promise<readonly string[]> {
  const { expected } = transcript.header;
  if (!expected)
    return ["it has no expectation: `postel replay FOLDER --update` writes down what comes out now as one"];
  const chunkingsByFormat = new Map<string, string[]>();
  for (const chunking of CHUNKINGS) {
    const { actual, faults } = await replayTranscript(config, transcript, chunking);
    for (const line of [...compare(expected, actual), ...faults])
      chunkingsByFormat.set(line, [...(chunkingsByFormat.get(line) ?? []), formatChunking(chunking)]);
  }
  return [...chunkingsByFormat].map(([line, names]) => `${where(names)}: ${line}`);
}

/** The fields that the expectation names and that came out otherwise. */
function compare(expected: Expectation, found: Expectation): readonly string[] {
  const fields = Object.keys(expected) as (keyof Expectation)[];
  const different = fields.filter((field) => !isDeepStrictEqual(expected[field], found[field]));
  return different.map(
    (field) => `${field}: expected ${JSON.stringify(expected[field])}, found ${JSON.stringify(found[field])}`,
  );
}

function where(names: readonly string[]): string {
  return names.length === CHUNKINGS.length ? "at every chunking" : names.join(", ");
}

function formatChunking(chunking: Chunking): string {
  if (chunking.type === "size") return `pieces of ${chunking.size}`;
  return chunking.type === "random" ? `random ${chunking.seed}` : chunking.type;
}
