import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import {
  formatTranscript,
  parseTranscript,
  type RecordedExchange,
} from "../../../../src/transcripts/format/Transcript.ts";

const folder = join(import.meta.dirname, "../../../../fixtures/transcripts");
const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));

/** Those that are served as models; a production recording keeps the name that it was dropped in with. */
const models = files.filter((file) => {
  const { header } = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
  return `${header.model}.jsonl` === file;
});

function bodyOf(exchange: RecordedExchange): string {
  return Buffer.concat(exchange.chunks.map(({ bytes }) => bytes)).toString();
}

describe("the shipped recordings", () => {
  it("show at least twelve behaviours", () => {
    expect(models.length).toBeGreaterThanOrEqual(12);
  });

  it.each(files)("%s reads back as it was written and says what is expected of its replay", (file) => {
    const transcript = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
    expect(parseTranscript(formatTranscript(transcript), file)).toEqual(transcript);
    expect(transcript.header.expected).toBeDefined();
  });

  it.each(models)("%s is a stream as a server writes it: one id, one model, [DONE] where it is complete", (file) => {
    const { header, exchanges } = parseTranscript(readFileSync(join(folder, file), "utf8"), file);
    for (const exchange of exchanges.filter(({ response }) => response?.status === 200)) {
      const events = bodyOf(exchange).split("\n\n").slice(0, -1);
      const data = events.map((event) => event.replace(/^data: /, ""));
      if (exchange.end.how === "complete") expect(data.pop()).toBe("[DONE]");
      const chunks = data.map((event) => JSON.parse(event) as { id: string; model: string });
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
      expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([header.model]));
    }
  });
});
