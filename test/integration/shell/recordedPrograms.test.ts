// Programs of a run that is recorded and replayed: the replay starts none, and one that asks for another says so.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { formatTranscript, parseTranscript, type Transcript } from "../../../src/transcripts/format/Transcript.ts";
import { configOf, FILES, makePlace, type Place, startShell } from "../../support/shell/shellGateway.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const WRITE = { name: "file-writer", arguments: { file_path: "notes.txt", content: "s3cr3t-k3y-4711 and more" } };
const ESCAPE = { name: "file-reader", arguments: { file_path: "link" } };
const MISSING = { name: "file-reader", arguments: { file_path: "gone.txt" } };

const COMPONENTS = FILES.replace(
  "    output: ${result.exit_code}",
  "    env: [SERVICE_TOKEN]\n    output: ${result.stdout}",
);
const ENV = { SERVICE_TOKEN: "s3cr3t-k3y-4711" };

/** A run whose three programs wrote, were refused, and failed; with what it is expected to come to again. */
async function recorded(): Promise<Transcript> {
  const recordTo = join(place.folder, "recordings");
  symlinkSync("/etc", join(place.workspace, "link"));
  const shell = await startShell(place, COMPONENTS, { env: ENV, recordTo });
  const results = await shell.call(WRITE, ESCAPE, MISSING);
  await shell.close();
  const [file = ""] = readdirSync(recordTo);
  const text = readFileSync(join(recordTo, file), "utf8");
  expect(text).not.toContain(ENV.SERVICE_TOKEN);
  const { header, ...rest } = parseTranscript(text, file);
  const names = [WRITE, ESCAPE, MISSING].map(({ name }) => name);
  const tool_results = results.map((content, at) => ({
    ...{ name: names[at] ?? "", content },
    ...(at > 0 && { is_error: true }),
  }));
  return { header: { ...header, expected: { content: "Done.", tool_results, finish_reason: "stop" } }, ...rest };
}

const config = () => configOf(place, COMPONENTS, { env: ENV });

describe("programs of a recorded run", () => {
  it("are written down with their words, their input and what came of them, without secrets", async () => {
    const { processes = [] } = await recorded();
    expect(processes.map(({ argv, stdin, end }) => ({ argv, stdin, end }))).toEqual([
      {
        argv: ["tee", "--", "notes.txt"],
        stdin: "[redacted] and more",
        end: { type: "ended", stdout: "[redacted] and more", stderr: "", exitCode: 0 },
      },
      {
        argv: ["cat", "--", "link"],
        stdin: undefined,
        end: { type: "refused", reason: expect.stringContaining("link") },
      },
      {
        argv: ["cat", "--", "gone.txt"],
        stdin: undefined,
        end: expect.objectContaining({ exitCode: 1, stderr: expect.stringContaining("gone.txt") }),
      },
    ]);
  });

  it("are replayed at every chunking without one being started", async () => {
    const transcript = await recorded();
    rmSync(join(place.workspace, "notes.txt"));
    // What was refused or missing then is there now, and nobody looks.
    rmSync(join(place.workspace, "link"));
    writeFileSync(join(place.workspace, "link"), "here");
    writeFileSync(join(place.workspace, "gone.txt"), "here");
    const again = parseTranscript(formatTranscript(transcript), "again.jsonl");
    expect(await findReplayDifferences(config(), again)).toEqual([]);
    expect(existsSync(join(place.workspace, "notes.txt"))).toBe(false);
  });

  it("that are asked for with other words are a difference that shows both", async () => {
    const { processes = [], ...rest } = await recorded();
    const other = processes.map((one) => ({ ...one, argv: one.argv.map((word) => word.replace("notes", "others")) }));
    const differences = (await findReplayDifferences(config(), { ...rest, processes: other })).join("\n");
    expect(differences).toContain('["tee","--","notes.txt"]');
    expect(differences).toContain('["tee","--","others.txt"]');
    expect(differences).toContain("never asked for: process 0");
  });

  it("beyond those that were recorded are a difference", async () => {
    const { processes = [], ...rest } = await recorded();
    const differences = await findReplayDifferences(config(), { ...rest, processes: processes.slice(0, 2) });
    expect(differences.join("\n")).toContain("no further process, but one more is started");
  });
});
