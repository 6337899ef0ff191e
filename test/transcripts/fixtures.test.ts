import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { formatTranscript, parseTranscript, type RecordedExchange } from "../../src/transcripts/Transcript.ts";

const folder = join(import.meta.dirname, "../../fixtures/transcripts");
const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));

function bodyOf(exchange: RecordedExchange): string {
  return Buffer.concat(exchange.chunks.map(({ bytes }) => bytes)).toString();
}

describe("the shipped recordings", () => {
  it("show at least twelve behaviours", () => {
    expect(files.length).toBeGreaterThanOrEqual(12);
  });

  it.each(files)(
    "%s is in the form that the writer gives, bears its model's name and says what is expected",
    (file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const transcript = parseTranscript(text, file);
      expect(formatTranscript(transcript)).toBe(text);
      expect(`${transcript.header.model}.jsonl`).toBe(file);
      expect(transcript.header.expected).toBeDefined();
    },
  );

  it.each(files)("%s is a stream as a server writes it: one id, one model, [DONE] where it is complete", (file) => {
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
