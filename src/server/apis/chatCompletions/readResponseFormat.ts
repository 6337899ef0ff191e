// Reads `response_format` as an OutputFormat, or throws a caller failure that names the schema.
import { z } from "zod";
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { OutputFormat } from "../../../core/requests.ts";
import { anyObject } from "../../validation/checkShape.ts";
import { checkSchema, type SchemaBudget } from "../../validation/checkToolSchema.ts";

export const responseFormatShape = z
  .discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text") }),
    z.looseObject({ type: z.literal("json_object") }),
    z.looseObject({
      type: z.literal("json_schema"),
      json_schema: z.looseObject({
        name: z.string(),
        schema: anyObject.nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ])
  .nullish();

const TEXT: OutputFormat = { type: "text" };

/**
 * @param budget steps for all schemas of the request; this function deducts what it uses. @throws PostelError
 * `invalid_request` for a schema out of bounds.
 */
export function readOutput(format: z.infer<typeof responseFormatShape>, budget: SchemaBudget): OutputFormat {
  if (format?.type === "json_object") return { type: "json_object" };
  if (format?.type !== "json_schema") return TEXT;
  const { name, strict } = format.json_schema;
  const schema = format.json_schema.schema ?? {};
  const fault = checkSchema(schema, budget);
  if (fault) {
    const message = `The JSON Schema of \`response_format\` is refused: ${fault}.`;
    throw new PostelError(createFailure("invalid_request", message, { param: "response_format.json_schema.schema" }));
  }
  return { type: "json_schema", name, schema, strict: strict ?? false };
}
