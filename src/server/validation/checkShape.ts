// Validates a value against a zod shape; the first fault becomes a caller failure that names the field.
import { z } from "zod";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/**
 * Returns the value as zod reads it. @param at path of the value in the body.
 * @throws PostelError `invalid_request` with `details.param`, a path such as `messages[1].role`.
 */
export function checkShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  at: readonly PropertyKey[] = [],
): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = fieldPath([...at, ...(issue?.path ?? [])]);
  const message = issue?.message ?? "is not what is expected";
  if (param === "") throw new PostelError(createFailure("invalid_request", `The body is refused: ${message}.`));
  throw new PostelError(createFailure("invalid_request", `\`${param}\` is refused: ${message}.`, { param }));
}

/**
 * A list whose entries are validated one by one up to the first invalid one: zod would describe every fault of 25,000 bad
 * entries, which takes a third of a second. @param options `comesAgain`: the same list object may be validated again, and
 * then gives the same result object.
 */
export function listField<Entry extends z.ZodType>(entry: Entry, { comesAgain = false } = {}) {
  const known = new WeakMap<object, z.infer<Entry>[]>();
  return list.transform((values, context) => {
    const before = known.get(values);
    if (before) return before;
    const entries: z.infer<Entry>[] = [];
    for (const [index, value] of values.entries()) {
      const result = entry.safeParse(value);
      if (!result.success) {
        const [first] = result.error.issues;
        context.addIssue({ code: "custom", message: first?.message ?? "", path: [index, ...(first?.path ?? [])] });
        return z.NEVER;
      }
      entries.push(result.data);
    }
    if (comesAgain) known.set(values, entries);
    return entries;
  });
}

/** Any list, unchecked. */
export const list = z.custom<readonly unknown[]>(Array.isArray, { error: "must be a list" });

/**
 * Any object, unchecked: visiting its keys would cost as much as the client decides. The body was parsed from JSON text, so
 * it contains JSON values only.
 */
export const anyObject = z.custom<JsonObject>((value) => isObject(value as JsonValue), { error: "must be an object" });

/** At most 200 characters, because the client chooses the keys. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("")
    .slice(0, 200);
}
