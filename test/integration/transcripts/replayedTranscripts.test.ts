import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { parseTranscript, type Transcript } from "../../../src/transcripts/format/Transcript.ts";
import { shippedConfig } from "../../support/startGateway.ts";

const FOLDER = "fixtures/transcripts";
const config = shippedConfig();

function read(file: string): Transcript {
  return parseTranscript(readFileSync(join(FOLDER, file), "utf8"), file);
}

describe("every file of fixtures/transcripts, through the whole gateway and in any pieces", () => {
  it.each(readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl")))("%s comes out as it expects", async (file) => {
    expect(await findReplayDifferences(config, read(file))).toEqual([]);
  });
});

it("a replay that comes out otherwise at every chunking says once which field, what was expected and what was found", async () => {
  const transcript = read("leaked-xml.jsonl");
  const expected = { ...transcript.header.expected, finish_reason: "length" };
  const differences = await findReplayDifferences(config, {
    ...transcript,
    header: { ...transcript.header, expected },
  });
  expect(differences).toEqual(['at every chunking: finish_reason: expected "length", found "stop"']);
});
