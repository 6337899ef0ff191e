// Writes the families' table into docs/reference/formats.md: what the data say, and what the parser makes of each example. Judges nothing.
import { readFileSync, writeFileSync } from "node:fs";
import type { ToolSpec } from "../src/core/messages.ts";
import { MultiFormatOutputParser } from "../src/formats/MultiFormatOutputParser.ts";
import { RENDERINGS } from "../src/formats/specs/prompts.ts";

const BEGIN = "<!-- The table is generated: node scripts/generateFormatsTable.ts -->";
const END = "<!-- End of the generated table. -->";

/** What documents and tests say of a family: data for people, which no reader asks. */
export interface FamilyNote {
  readonly id: string;
  /** Models that write it, by template or by leak. */
  readonly writtenBy: string;
  /** J JSON, X tagged parameters, P Python calls, L brace literals, T labelled text. */
  readonly body: string;
  /** The mark by which it is known; empty where it has none of its own. */
  readonly mark: string;
  /** One call of `weather {city, days?}`, as such a model writes it. */
  readonly example: string;
}

/** A line a family, in the order of the rows. */
export const FAMILY_NOTES: readonly FamilyNote[] = readFileSync(
  new URL("../fixtures/outputs/families.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as FamilyNote);

/** The document with its table written anew. @throws Error where the two marks are missing. */
export function withFormatsTable(document: string): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document lacks the marks of its table: ${BEGIN} and ${END}`);
  return `${document.slice(0, from + BEGIN.length)}\n\n${formatsTable()}\n\n${document.slice(to)}`;
}

function formatsTable(): string {
  const head = ["format", "written by", "body", "known by", "one call", "read as", "asked for"];
  return [head, head.map(() => "---"), ...FAMILY_NOTES.map(row)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row(family: FamilyNote): readonly string[] {
  const { id, writtenBy, body, mark, example } = family;
  const asked = RENDERINGS.has(id) ? "yes" : "";
  return [code(id), writtenBy, body, mark === "" ? "shape" : code(mark), code(example), readAs(family), asked];
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

/** The family that the example's call is counted as, for a model whose row names the family; empty: it is not read. */
function readAs({ id, example }: FamilyNote): string {
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
  return origins[0] === undefined ? "not read" : code(origins[0]);
}

/** A code span for a table's cell: newlines shown, bars escaped, delimited by more backticks than it holds. */
function code(text: string): string {
  const shown = text.replaceAll("\n", "⏎").replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${shown}\``;
  const fence = "`".repeat(longest + 1);
  return `${fence} ${shown} ${fence}`;
}

if (import.meta.main) {
  const file = new URL("../docs/reference/formats.md", import.meta.url);
  writeFileSync(file, withFormatsTable(readFileSync(file, "utf8")));
}
