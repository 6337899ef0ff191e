// Generates the table of formats in docs/reference/formats.md, with the result of parsing each example.
import { readFileSync, writeFileSync } from "node:fs";
import type { ToolSpec } from "../src/core/messages.ts";
import { MultiFormatOutputParser } from "../src/formats/MultiFormatOutputParser.ts";
import { RENDERINGS } from "../src/formats/specs/prompts.ts";
import { replaceGenerated } from "./replaceGenerated.ts";

/** The description of a format for documents and tests. The parser does not use it. */
export interface FamilyNote {
  readonly id: string;
  /** Models that write the format, by their chat template or by mistake. */
  readonly writtenBy: string;
  /** Notation of the arguments: J JSON, X tagged parameters, P Python calls, L brace literals, T labelled text. */
  readonly body: string;
  /** The marker that identifies the format; empty if the format has no marker of its own. */
  readonly mark: string;
  /** One call of `weather {city, days?}` as a model writes it. */
  readonly example: string;
}

/** The lines of `fixtures/outputs/families.jsonl`, in the order of the format specs. */
export const FAMILY_NOTES: readonly FamilyNote[] = readFileSync(
  new URL("../fixtures/outputs/families.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as FamilyNote);

/** Returns `document` with a new table. @throws Error if the comments around the table are missing. */
export function withFormatsTable(document: string): string {
  return replaceGenerated(document, "scripts/generateFormatsTable.ts", createTable());
}

function createTable(): string {
  const head = ["format", "written by", "body", "known by", "one call", "read as", "asked for"];
  return [head, head.map(() => "---"), ...FAMILY_NOTES.map(createRow)]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function createRow(note: FamilyNote): readonly string[] {
  const { id, writtenBy, body, mark, example } = note;
  const prompt = RENDERINGS.has(id) ? "yes" : "";
  return [
    formatCode(id),
    writtenBy,
    body,
    mark === "" ? "shape" : formatCode(mark),
    formatCode(example),
    parseExample(note),
    prompt,
  ];
}

const TOOLS: readonly ToolSpec[] = [
  {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
];

/** Returns the format that the parser reports for the example if the model's profile names the format, or "not read". */
function parseExample({ id, example }: FamilyNote): string {
  const parser = new MultiFormatOutputParser({
    tools: TOOLS,
    callsAllowed: true,
    toolMode: "native",
    formats: [id],
    reasoningOpened: false,
    ids: { callId: () => "abcdefghi" },
    captureChars: 10_000,
  });
  const events = [...parser.feed(example), ...parser.finish("stop")];
  const origins = events.flatMap((event) => (event.type === "call" ? [event.call.origin] : []));
  return origins[0] === undefined ? "not read" : formatCode(origins[0]);
}

/** Returns a Markdown code span for a table cell. Newlines become "⏎", and the delimiter is longer than any run of backticks. */
function formatCode(text: string): string {
  const escaped = text.replaceAll("\n", "⏎").replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...escaped.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${escaped}\``;
  const delimiter = "`".repeat(longest + 1);
  return `${delimiter} ${escaped} ${delimiter}`;
}

if (import.meta.main) {
  const file = new URL("../docs/reference/formats.md", import.meta.url);
  writeFileSync(file, withFormatsTable(readFileSync(file, "utf8")));
}
