// `postel replay`: replays every transcript of a folder with several chunkings, and compares it with the expected result.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { type Expectation, parseTranscript, type Transcript } from "../../transcripts/format/Transcript.ts";
import { type ConfigFlags, loadFlags } from "../options/loadFlags.ts";
import { writeText } from "../output/terminal.ts";
import { CHUNKINGS, findReplayDifferences } from "./replayDifferences.ts";
import { replayTranscript } from "./replayTranscript.ts";

export interface ReplayFlags extends ConfigFlags {
  readonly update: boolean;
}

/** Resolves with the exit status: 1 if a transcript differs from its expectation, or has none. */
export async function replayFolder(folder: string, flags: ReplayFlags): Promise<number> {
  const config = loadFlags(flags);
  const count = { ok: 0, differs: 0, unknown: 0 };
  const files = transcriptFiles(folder);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const transcript = parseTranscript(text, file);
    const differences = await replayFile(config, transcript, { file, text, update: flags.update });
    const isExpected = flags.update || transcript.header.expected !== undefined;
    const verdict = differences.length === 0 ? "ok" : isExpected ? "differs" : "unknown";
    count[verdict]++;
    writeText(`${verdict.padEnd(7)} ${file}${rowNote(transcript)}\n`);
    for (const line of differences) writeText(`        ${line}\n`);
  }
  const unknown = count.unknown > 0 ? `, ${count.unknown} without an expectation` : "";
  writeText(`${files.length} transcripts × ${CHUNKINGS.length} chunkings: ${count.differs} differ${unknown}\n`);
  return count.ok === files.length ? 0 : 1;
}

function transcriptFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    throw new PostelError(createFailure("invalid_configuration", `The folder ${folder} cannot be read.`));
  }
}

/** Note for a replay that uses its recorded model profile instead of the configured one. */
function rowNote({ header }: Transcript): string {
  const match = header.row?.match;
  return match === undefined ? "" : ` (by the row that it was recorded with: ${[match].flat().join(", ")})`;
}

async function replayFile(
  config: Config,
  transcript: Transcript,
  { file, text, update }: { readonly file: string; readonly text: string; readonly update: boolean },
): Promise<readonly string[]> {
  if (!update) return findReplayDifferences(config, transcript);
  const { actual, faults } = await replayTranscript(config, transcript, { type: "recorded" });
  if (faults.length === 0) writeFileSync(file, addExpectation(text, actual));
  return findReplayDifferences(config, { ...transcript, header: { ...transcript.header, expected: actual } });
}

/** The recorded lines are unchanged: only the header, the first line of the file, is rewritten. */
function addExpectation(text: string, expected: Expectation): string {
  const end = text.indexOf("\n");
  const header = JSON.parse(text.slice(0, end)) as Transcript["header"];
  return `${JSON.stringify({ ...header, expected })}${text.slice(end)}`;
}
