// Writes what is made of config/models.yaml: src/models/capabilities/parsingProfiles.generated.ts, the part that a parser without files and without YAML needs, and config/models.json, all of it for a quick start. Judges nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getPrebuiltPath, prepare } from "../src/config/load/prebuiltYaml.ts";
import { readYaml } from "../src/config/load/readYaml.ts";

const ROOT = join(import.meta.dirname, "..");
const ROWS = join(ROOT, "config/models.yaml");
const TABLE = "src/models/capabilities/parsingProfiles.generated.ts";
const OPENING = `// The shipped rows as far as they say how a text is read. Generated from config/models.yaml by scripts/generateReadingRows.ts; edited there.
import type { CapabilityRow } from "../core/capabilities.ts";
`;

/** The fields of a row that concern the reading, and those of `reasoning`; any other is the gateway's matter. */
const FIELDS = ["match", "formats", "emulate", "wire", "reasoning"] as const;
const REASONING_FIELDS = ["marks", "opened", "interleaved"] as const;

type Written = Readonly<Record<string, unknown>>;

/** The rows of models.yaml, without what does not concern the reading of a text; those that are read alike as one, since the longest pattern wins wherever it stands. */
export function readingRows(): readonly Written[] {
  const { models } = shippedRows().value as { models: readonly Written[] };
  const patterns = new Map<string, string[]>();
  for (const row of models) {
    const { match, reasoning, ...kept } = picked(row, FIELDS);
    const thought = picked(reasoning ?? {}, REASONING_FIELDS);
    const reading = JSON.stringify(Object.keys(thought).length === 0 ? kept : { ...kept, reasoning: thought });
    patterns.set(reading, [...(patterns.get(reading) ?? []), ...(match as readonly string[])]);
  }
  const groups = [...patterns.values()];
  return [...patterns].map(([reading, own]) => {
    const others = groups.filter((group) => group !== own).flat();
    const match = own.filter((pattern) => !own.some((wider) => coversAlone(wider, pattern, others)));
    return { match, ...(JSON.parse(reading) as Written) };
  });
}

/** Whether all names of a pattern have a wider one of the same row, and no pattern of another row that is longer than the wider. */
function coversAlone(wider: string, pattern: string, others: readonly string[]): boolean {
  const [start = ""] = wider.split("*");
  if (wider === pattern || wider !== `${start}*` || !pattern.startsWith(start)) return false;
  const [head = ""] = pattern.split("*");
  return !others.some((other) => {
    const [otherHead = ""] = other.split("*");
    return other.length > wider.length && (otherHead.startsWith(head) || head.startsWith(otherHead));
  });
}

/** The text of config/models.json. */
export function preparedRows(): string {
  const { text, value } = shippedRows();
  return prepare(text, value);
}

/** @throws Error where the file is faulty, or takes something from the environment, which nobody knows beforehand. */
function shippedRows(): { readonly text: string; readonly value: unknown } {
  const text = readFileSync(ROWS, "utf8");
  const { value, faults, filled } = readYaml(text, {});
  if (faults.length + filled.length > 0) throw new Error(`${ROWS} cannot be prepared: ${JSON.stringify(faults)}`);
  return { text, value };
}

function picked(object: object, fields: readonly string[]): Written {
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}

if (import.meta.main) {
  const rows = readingRows().map((row) => `  ${JSON.stringify(row)},\n`);
  const type = `readonly Pick<CapabilityRow, ${FIELDS.map((field) => `"${field}"`).join(" | ")}>[]`;
  writeFileSync(
    join(ROOT, TABLE),
    `${OPENING}\n// biome-ignore format: a row a line\nexport const READING_ROWS: ${type} = [\n${rows.join("")}];\n`,
  );
  writeFileSync(getPrebuiltPath(ROWS), preparedRows());
}
