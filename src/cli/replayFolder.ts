// `postel replay`: every transcript of a folder through the whole gateway at several chunkings, compared with what it expects.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Chunking } from "../transcripts/rechunk.ts";
import { type Expectation, parseTranscript, type Transcript } from "../transcripts/Transcript.ts";
import { type ConfigFlags, loadFlags } from "./configuration.ts";
import { replayTranscript } from "./replayTranscript.ts";

export interface ReplayFlags extends ConfigFlags {
  readonly update: boolean;
}

const CHUNKINGS: readonly Chunking[] = [
  { type: "recorded" },
  { type: "whole" },
  { type: "size", size: 1 },
  { type: "size", size: 3 },
  { type: "size", size: 7 },
  ...[1, 2, 3, 4].map((seed) => ({ type: "random", seed }) as const),
];

/** Resolves with the exit status: 1 where any transcript differs from its expectation. */
export async function replayFolder(folder: string, flags: ReplayFlags): Promise<number> {
  const config = loadFlags(flags);
  let different = 0;
  const files = transcriptFiles(folder);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const differences = await replayFile(config, file, text, flags.update);
    if (differences.length > 0) different++;
    process.stdout.write(`${differences.length > 0 ? "differs" : "ok     "} ${file}\n`);
    for (const line of differences) process.stdout.write(`        ${line}\n`);
  }
  process.stdout.write(`${files.length} transcripts × ${CHUNKINGS.length} chunkings: ${different} differ\n`);
  return different > 0 ? 1 : 0;
}

function transcriptFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    throw new PostelError(failure("invalid_configuration", `The folder ${folder} cannot be read.`));
  }
}

async function replayFile(config: Config, file: string, text: string, update: boolean): Promise<readonly string[]> {
  const transcript = parseTranscript(text, file);
  const first = await replayTranscript(config, transcript, { type: "recorded" });
  if (update && first.faults.length === 0) writeFileSync(file, withExpectation(text, first.found));
  const expected = update ? first.found : transcript.header.expected;
  if (!expected) return ["it has no expectation; run again with --update to write what was found"];
  const differences: string[] = [];
  for (const chunking of CHUNKINGS) {
    const { found, faults } = await replayTranscript(config, transcript, chunking);
    differences.push(...[...compare(expected, found), ...faults].map((line) => `${nameOf(chunking)}: ${line}`));
  }
  return differences;
}

/** The fields that the expectation names and that came out otherwise. */
function compare(expected: Expectation, found: Expectation): readonly string[] {
  const fields = Object.keys(expected) as (keyof Expectation)[];
  const different = fields.filter((field) => !isDeepStrictEqual(expected[field], found[field]));
  return different.map(
    (field) => `${field}: expected ${JSON.stringify(expected[field])}, found ${JSON.stringify(found[field])}`,
  );
}

/** The recorded lines stay as they are: only the header, the file's first line, is written anew. */
function withExpectation(text: string, expected: Expectation): string {
  const end = text.indexOf("\n");
  const header = JSON.parse(text.slice(0, end)) as Transcript["header"];
  return `${JSON.stringify({ ...header, expected })}${text.slice(end)}`;
}

function nameOf(chunking: Chunking): string {
  if (chunking.type === "size") return `pieces of ${chunking.size}`;
  return chunking.type === "random" ? `random ${chunking.seed}` : chunking.type;
}
