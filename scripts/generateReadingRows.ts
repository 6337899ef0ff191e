// Writes what is made of config/models.yaml: src/models/readingRows.ts, the part that a parser without files and without YAML needs, and config/models.json, all of it for a quick start. Judges nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepare, preparedFile } from "../src/config/preparedValue.ts";
import { readYaml } from "../src/config/readYaml.ts";

const ROOT = join(import.meta.dirname, "..");
const ROWS = join(ROOT, "config/models.yaml");
const TABLE = "src/models/readingRows.ts";
const OPENING = `// The shipped rows as far as they say how a text is read. Generated from config/models.yaml by scripts/generateReadingRows.ts; edited there.
import type { CapabilityRow } from "../core/capabilities.ts";
`;

/** The fields of a row that concern the reading, and those of `reasoning`; any other is the gateway's matter. */
const FIELDS = ["match", "formats", "emulate", "wire", "reasoning"] as const;
const REASONING_FIELDS = ["marks", "opened", "interleaved"] as const;

type Written = Readonly<Record<string, unknown>>;

/** The rows of models.yaml, without what does not concern the reading of a text. */
export function readingRows(): readonly Written[] {
  const { models } = shippedRows().value as { models: readonly Written[] };
  return models.map((row) => {
    const { reasoning, ...kept } = picked(row, FIELDS);
    const thought = picked(reasoning ?? {}, REASONING_FIELDS);
    return Object.keys(thought).length === 0 ? kept : { ...kept, reasoning: thought };
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
  writeFileSync(preparedFile(ROWS), preparedRows());
}
