// The model texts of the shipped recordings, as the server sent them. Judges nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript, type RecordedExchange } from "../../src/transcripts/format/Transcript.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/transcripts");

/** File and exchange in the name; exchanges without text are left out. */
export function transcriptTexts(): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) =>
      parseTranscript(readFileSync(join(FOLDER, file), "utf8"), file).exchanges.map((exchange, index) => ({
        name: `${file} #${index}`,
        text: textOf(exchange),
      })),
    )
    .filter(({ text }) => text !== "");
}

function textOf(exchange: RecordedExchange): string {
  const body = Buffer.concat(exchange.chunks.map(({ bytes }) => bytes)).toString();
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => {
      try {
        const event = JSON.parse(line.slice("data: ".length)) as {
          choices?: readonly { delta?: { content?: string | null } }[];
        };
        return event.choices?.[0]?.delta?.content ?? "";
      } catch {
        return "";
      }
    })
    .join("");
}
