// Validates the input of an agent against the schema of its inputs.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import { parseStrictValue } from "../../formats/decoders/jsonTree.ts";
import { CompiledSchema } from "../../formats/validation/CompiledSchema.ts";
import { fitValue } from "../../formats/validation/fitValue.ts";

/**
 * The input as the schema defines it. A value is converted if that loses nothing (`"3"` where a number is required).
 * @throws PostelError `invalid_request` that names the first invalid field.
 */
export function validateInput(input: JsonObject, schema: JsonObject): JsonObject {
  const value = parseStrictValue(JSON.stringify(input));
  const fitted = value && fitValue(value, new CompiledSchema(schema), { strict: false });
  if (fitted?.type === "fits") return JSON.parse(fitted.text) as JsonObject;
  const [first] = fitted?.misfits ?? [];
  const param = ["input", ...(first?.path ?? [])].join(".");
  const problem = first?.problem ?? "is deeper or longer than what can be checked";
  throw new PostelError(createFailure("invalid_request", `\`${param}\` ${problem}.`, { param }));
}
