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
  .transform(({ input, output, cached_input: cachedInput }) => withoutAbsent({ input, output, cachedInput }));

/** Sampling with the gateway's member names; missing values stay absent. */
export function toSampling(written: z.output<typeof samplingSchema>): Sampling {
  return withoutAbsent({
    temperature: written.temperature,
    topP: written.top_p,
    maxTokens: written.max_tokens,
    stop: written.stop,
    seed: written.seed,
    presencePenalty: written.presence_penalty,
    frequencyPenalty: written.frequency_penalty,
  });
}

const promptSchema = listField(nonEmptyText("a line of the prompt"), "lines of the prompt");

/** Schema of a list of profiles; format and quirk ids must be known. */
export function createModelProfilesSchema(known: KnownNames) {
  return listField(writtenRow(known).transform(toModelProfile), "rows");
}

function writtenRow(known: KnownNames) {
  const family = knownName("format family", known.families);
  const reasoning = z
    .strictObject({
      field: nonEmptyText("a field name").optional(),
      marks: knownName("id of reasoning marks", known.reasoningMarks).optional(),
      opened: enumField(["always", "never", "by-request"]).optional(),
      interleaved: flag().optional(),
    })
    .transform((written) => withoutAbsent(written));
  return z.strictObject({
    match: listField(namePatternField(), "name patterns").min(1, { error: "expected at least one name pattern" }),
    tools: enumField(["native", "text"]).optional(),
    tool_choice: listField(enumField(["auto", "none", "required", "named"]), "auto, none, required, named").optional(),
    json_schema: enumField(["native", "json_object", "none"]).optional(),
    system_role: enumField(["system", "developer", "user"]).optional(),
    formats: listField(family, "format families").optional(),
    emulate: family.optional(),
    reasoning: reasoning.optional(),
    wire: knownName("wire", known.wires).optional(),
    stream: enumField(["always", "never", "as-asked"]).optional(),
    on_invalid: enumField(["error", "text", "pass"]).optional(),
    parse: enumField(["on", "off"]).optional(),
    fractions: enumField(["refuse", "pass"]).optional(),
    tokenizes_text: z.boolean({ error: "expected true or false" }).optional(),
    quirks: listField(knownName("quirk", known.quirks), "quirks").optional(),
    sampling: samplingSchema.transform(toSampling).optional(),
    prompt: promptSchema.optional(),
    native_prompt: promptSchema.optional(),
    first_event_ms: integerField("milliseconds", 1, HOUR_MS).optional(),
    context_tokens: integerField("tokens", 1, 1_000_000_000).optional(),
    prices: pricesSchema.optional(),
    why: nonEmptyText("the reason for this row, with its source"),
  });
}

function toModelProfile(written: z.output<ReturnType<typeof writtenRow>>): ModelProfile {
  return withoutAbsent({
    match: written.match,
    tools: written.tools,
    toolChoice: written.tool_choice,
    jsonSchema: written.json_schema,
    systemRole: written.system_role,
    formats: written.formats,
    emulate: written.emulate,
    reasoning: written.reasoning,
    wire: written.wire,
    stream: written.stream,
    onInvalid: written.on_invalid,
    parse: written.parse,
    fractions: written.fractions,
    tokenizesText: written.tokenizes_text,
    quirks: written.quirks,
    sampling: written.sampling,
    prompt: written.prompt,
    nativePrompt: written.native_prompt,
    firstEventMs: written.first_event_ms,
    contextTokens: written.context_tokens,
    prices: written.prices,
    why: written.why,
  });
}

/** Reads a profile in its written form, as in a recording. @throws PostelError `invalid_configuration` that names the field. */
export function readModelRow(written: unknown, known: KnownNames): ModelProfile {
  const result = createModelProfilesSchema(known).safeParse([written]);
  const [row] = result.data ?? [];
  if (row) return row;
  const issue = result.error?.issues[0];
  const field = issue?.path.slice(1).join(".") || "row";
  throw new PostelError(createFailure("invalid_configuration", `The row of a recording: ${field}: ${issue?.message}`));
}

/** The written form of a profile; `createModelProfilesSchema` reads it back as the same profile. */
export function writeModelRow(row: ModelProfile): JsonObject {
  return withWrittenKeys({ ...row });
}

/** A model name pattern: lower case, `*` for anything. */
export function namePatternField() {
  const error = "expected a name pattern in lower case without spaces, `*` for anything";
  return nonEmptyText("a name pattern").refine((value) => !/[\sA-Z]/.test(value), { error });
}

/** Keys are written with underscores; texts and lists are values and stay. */
function withWrittenKeys(value: object): JsonObject {
  const written = Object.entries(value).map(([key, item]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof item === "object" && !Array.isArray(item) ? withWrittenKeys(item) : item,
  ]);
  return Object.fromEntries(written);
}

function knownName(what: string, known: ReadonlySet<string>) {
  return nonEmptyText(`a ${what}`).superRefine((name, context) => {
    if (known.has(name)) return;
    const near = suggestName(name, known);
    context.addIssue({ code: "custom", message: `expected a known ${what}${near || `; known are ${list(known)}`}` });
  });
}

function list(names: ReadonlySet<string>): string {
  return [...names].sort().join(", ");
}

/** Removes undefined members, so that a profile has only what was written. */
function withoutAbsent<T extends object>(value: T): T {
  for (const [key, item] of Object.entries(value)) if (item === undefined) Reflect.deleteProperty(value, key);
  return value;
}
