// Generates two files from config/models.yaml: src/models/capabilities/parsingProfiles.generated.ts, the part that the
// stand-alone parser needs, and config/models.json, the whole file as prebuilt JSON for a faster start.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getPrebuiltPath, prepare } from "../src/config/load/prebuiltYaml.ts";
import { readYaml } from "../src/config/load/readYaml.ts";

const ROOT = join(import.meta.dirname, "..");
const MODELS_FILE = join(ROOT, "config/models.yaml");
const GENERATED_FILE = "src/models/capabilities/parsingProfiles.generated.ts";
const GENERATED_HEAD = `// The shipped rows as far as they say how a text is read. Generated from config/models.yaml by scripts/generateReadingRows.ts; edited there.
import type { ModelProfile } from "../../core/models/capabilities.ts";
`;

/** The fields of a profile, and those of its `reasoning`, that affect the parser. */
const PARSING_FIELDS = ["match", "formats", "emulate", "wire", "reasoning"] as const;
const REASONING_FIELDS = ["marks", "opened", "interleaved"] as const;

/** A profile with some of its fields, as models.yaml has them. */
type PartialProfile = Readonly<Record<string, unknown>>;

/**
 * Returns the profiles of models.yaml with the fields that affect the parser. Profiles that are equal in these fields
 * become one with all their patterns, since the longest matching pattern wins regardless of its position.
 */
export function createParsingProfiles(): readonly PartialProfile[] {
  const { models } = readModelsFile().value as { models: readonly PartialProfile[] };
  const patternsByFields = new Map<string, string[]>();
  for (const profile of models) {
    const { match, reasoning, ...fields } = pickFields(profile, PARSING_FIELDS);
    const reasoningFields = pickFields(reasoning ?? {}, REASONING_FIELDS);
    const hasReasoning = Object.keys(reasoningFields).length > 0;
    const key = JSON.stringify(hasReasoning ? { ...fields, reasoning: reasoningFields } : fields);
    patternsByFields.set(key, [...(patternsByFields.get(key) ?? []), ...(match as readonly string[])]);
  }
  const groups = [...patternsByFields.values()];
  return [...patternsByFields].map(([key, patterns]) => {
    const otherPatterns = groups.filter((group) => group !== patterns).flat();
    const match = patterns.filter(
      (pattern) => !patterns.some((wider) => makesRedundant(wider, pattern, otherPatterns)),
    );
    return { match, ...(JSON.parse(key) as PartialProfile) };
  });
}

/**
 * Returns true if `wider` matches every name that `pattern` matches, and no pattern of another profile
 * that is longer than `wider` can match one of these names.
 */
function makesRedundant(wider: string, pattern: string, otherPatterns: readonly string[]): boolean {
  const [widerPrefix = ""] = wider.split("*");
  if (wider === pattern || wider !== `${widerPrefix}*` || !pattern.startsWith(widerPrefix)) return false;
  const [prefix = ""] = pattern.split("*");
  return !otherPatterns.some((other) => {
    const [otherPrefix = ""] = other.split("*");
    return other.length > wider.length && (otherPrefix.startsWith(prefix) || prefix.startsWith(otherPrefix));
  });
}

/** Returns the text of config/models.json. */
export function createPrebuiltModels(): string {
  const { text, value } = readModelsFile();
  return prepare(text, value);
}

/** Reads models.yaml. @throws Error if it has faults or uses environment variables, whose values are unknown here. */
function readModelsFile(): { readonly text: string; readonly value: unknown } {
  const text = readFileSync(MODELS_FILE, "utf8");
  const { value, faults, filled } = readYaml(text, {});
  if (faults.length > 0) throw new Error(`${MODELS_FILE} has faults: ${JSON.stringify(faults)}`);
  if (filled.length > 0)
    throw new Error(`${MODELS_FILE} must not use environment variables: ${JSON.stringify(filled)}`);
  return { text, value };
}

function pickFields(object: object, fields: readonly string[]): PartialProfile {
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}

if (import.meta.main) {
  const lines = createParsingProfiles().map((profile) => `  ${JSON.stringify(profile)},\n`);
  const type = `readonly Pick<ModelProfile, ${PARSING_FIELDS.map((field) => `"${field}"`).join(" | ")}>[]`;
  writeFileSync(
    join(ROOT, GENERATED_FILE),
    `${GENERATED_HEAD}\n// biome-ignore format: a row a line\nexport const PARSING_PROFILES: ${type} = [\n${lines.join("")}];\n`,
  );
  writeFileSync(getPrebuiltPath(MODELS_FILE), createPrebuiltModels());
}
