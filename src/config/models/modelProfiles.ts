// Schema of model profiles, in models.yaml and in `models:` of postel.yaml.
import { z } from "zod";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { ModelProfile } from "../../core/models/capabilities.ts";
import type { Sampling } from "../../core/requests.ts";
import { decimal, enumField, flag, integerField, listField, nonEmptyText, textField } from "../fields.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import { suggestName } from "../load/suggestName.ts";

/** Sampling defaults of agents and profiles. */
export const samplingFields = {
  temperature: decimal(0, 2).optional(),
  top_p: decimal(0, 1).optional(),
  max_tokens: integerField("tokens", 1, 10_000_000).optional(),
  stop: listField(textField(), "at most 16 texts").max(16, { error: "expected at most 16 texts" }).optional(),
  seed: integerField("", -(2 ** 31), 2 ** 31 - 1).optional(),
  presence_penalty: decimal(-2, 2).optional(),
  frequency_penalty: decimal(-2, 2).optional(),
};

const samplingSchema = z.strictObject(samplingFields);

const HOUR_MS = 3_600_000;

const price = decimal(0, 1_000_000);
const pricesSchema = z
  .strictObject({ input: price, output: price, cached_input: price.optional() })
  .transform(({ input, output, cached_input: cachedInput }) => omitUndefined({ input, output, cachedInput }));

/** Sampling with the gateway's member names; missing values stay absent. */
export function toSampling(raw: z.output<typeof samplingSchema>): Sampling {
  return omitUndefined({
    temperature: raw.temperature,
    topP: raw.top_p,
    maxTokens: raw.max_tokens,
    stop: raw.stop,
    seed: raw.seed,
    presencePenalty: raw.presence_penalty,
    frequencyPenalty: raw.frequency_penalty,
  });
}

const promptSchema = listField(nonEmptyText("a line of the prompt"), "lines of the prompt");

/** Schema of a list of profiles; format and quirk ids must be known. */
export function createModelProfilesSchema(known: KnownNames) {
  return listField(writtenRow(known).transform(toModelProfile), "rows");
}

function writtenRow(known: KnownNames) {
  const family = createKnownNameField("format family", known.families);
  const reasoning = z
    .strictObject({
      field: nonEmptyText("a field name").optional(),
      marks: createKnownNameField("id of reasoning marks", known.reasoningMarks).optional(),
      opened: enumField(["always", "never", "by-request"]).optional(),
      interleaved: flag().optional(),
    })
    .transform((raw) => omitUndefined(raw));
  return z.strictObject({
    match: listField(namePatternField(), "name patterns").min(1, { error: "expected at least one name pattern" }),
    tools: enumField(["native", "text"]).optional(),
    tool_choice: listField(enumField(["auto", "none", "required", "named"]), "auto, none, required, named").optional(),
    json_schema: enumField(["native", "json_object", "none"]).optional(),
    system_role: enumField(["system", "developer", "user"]).optional(),
    formats: listField(family, "format families").optional(),
    emulate: family.optional(),
    reasoning: reasoning.optional(),
    wire: createKnownNameField("wire", known.wires).optional(),
    stream: enumField(["always", "never", "as-asked"]).optional(),
    on_invalid: enumField(["error", "text", "pass"]).optional(),
    parse: enumField(["on", "off"]).optional(),
    fractions: enumField(["refuse", "pass"]).optional(),
    tokenizes_text: z.boolean({ error: "expected true or false" }).optional(),
    quirks: listField(createKnownNameField("quirk", known.quirks), "quirks").optional(),
    sampling: samplingSchema.transform(toSampling).optional(),
    prompt: promptSchema.optional(),
    native_prompt: promptSchema.optional(),
    first_event_ms: integerField("milliseconds", 1, HOUR_MS).optional(),
    context_tokens: integerField("tokens", 1, 1_000_000_000).optional(),
    prices: pricesSchema.optional(),
    why: nonEmptyText("the reason for this row, with its source"),
  });
}

function toModelProfile(raw: z.output<ReturnType<typeof writtenRow>>): ModelProfile {
  return omitUndefined({
    match: raw.match,
    tools: raw.tools,
    toolChoice: raw.tool_choice,
    jsonSchema: raw.json_schema,
    systemRole: raw.system_role,
    formats: raw.formats,
    emulate: raw.emulate,
    reasoning: raw.reasoning,
    wire: raw.wire,
    stream: raw.stream,
    onInvalid: raw.on_invalid,
    parse: raw.parse,
    fractions: raw.fractions,
    tokenizesText: raw.tokenizes_text,
    quirks: raw.quirks,
    sampling: raw.sampling,
    prompt: raw.prompt,
    nativePrompt: raw.native_prompt,
    firstEventMs: raw.first_event_ms,
    contextTokens: raw.context_tokens,
    prices: raw.prices,
    why: raw.why,
  });
}

/** Reads a profile in its written form, as in a recording. @throws PostelError `invalid_configuration` that names the field. */
export function readModelRow(raw: unknown, known: KnownNames): ModelProfile {
  const result = createModelProfilesSchema(known).safeParse([raw]);
  const [row] = result.data ?? [];
  if (row) return row;
  const issue = result.error?.issues[0];
  const field = issue?.path.slice(1).join(".") || "row";
  throw new PostelError(createFailure("invalid_configuration", `The row of a recording: ${field}: ${issue?.message}`));
}

/** The written form of a profile; `createModelProfilesSchema` reads it back as the same profile. */
export function writeModelRow(row: ModelProfile): JsonObject {
  return toSnakeCaseKeys({ ...row });
}

/** A model name pattern: lower case, `*` for anything. */
export function namePatternField() {
  const error = "expected a name pattern in lower case without spaces, `*` for anything";
  return nonEmptyText("a name pattern").refine((value) => !/[\sA-Z]/.test(value), { error });
}

/** Keys are written with underscores; texts and lists are values and stay. */
function toSnakeCaseKeys(value: object): JsonObject {
  const raw = Object.entries(value).map(([key, item]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof item === "object" && !Array.isArray(item) ? toSnakeCaseKeys(item) : item,
  ]);
  return Object.fromEntries(raw);
}

function createKnownNameField(expectation: string, known: ReadonlySet<string>) {
  return nonEmptyText(`a ${expectation}`).superRefine((name, context) => {
    if (known.has(name)) return;
    const suggestion = suggestName(name, known);
    context.addIssue({
      code: "custom",
      message: `expected a known ${expectation}${suggestion || `; known are ${list(known)}`}`,
    });
  });
}

function list(names: ReadonlySet<string>): string {
  return [...names].sort().join(", ");
}

/** Removes undefined members, so that a profile has only what was written. */
function omitUndefined<T extends object>(value: T): T {
  for (const [key, item] of Object.entries(value)) if (item === undefined) Reflect.deleteProperty(value, key);
  return value;
}
