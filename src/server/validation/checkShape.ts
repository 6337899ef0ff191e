// Holds a value against a zod shape; the first fault becomes a caller failure that names the field. Knows no shape itself.
import { z } from "zod";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { compileGuard, type Fits, listFits, registerGuard } from "../fastpath/compileGuard.ts";

/**
 * What fits is given back as it is; zod is asked only where something does not, and says what.
 * @param at where the value stands in the body.
 * @throws PostelError `invalid_request` with `details.param`, a path such as `messages[1].role`.
 */
export function checkShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  at: readonly PropertyKey[] = [],
): z.infer<Shape> {
  if (compileGuard(shape)(value)) return value as z.infer<Shape>;
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = fieldPath([...at, ...(issue?.path ?? [])]);
  const what = issue?.message ?? "is not what is expected";
  if (param === "") throw new PostelError(createFailure("invalid_request", `The body is refused: ${what}.`));
  throw new PostelError(createFailure("invalid_request", `\`${param}\` is refused: ${what}.`, { param }));
}

/**
 * A list whose entries are held against their shape one after another, up to the first that does not fit: zod's own list describes every
 * fault of 25,000 bad entries, which takes a third of a second.
 * @param options `comesAgain`: the very same list may be held against it again.
 */
export function listField<Entry extends z.ZodType>(entry: Entry, { comesAgain = false } = {}) {
  const look = listFits(compileGuard(entry));
  const fits = comesAgain ? lookingOnce(look) : look;
  const shape = list.transform((values, context) => {
    if (fits(values)) return values as z.infer<Entry>[];
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
    return entries;
  });
  registerGuard(shape.out, fits);
  return shape;
}

/** The same look, at each value that fits but once: nobody changes what was parsed. */
function lookingOnce(fits: Fits): Fits {
  const fitting = new WeakSet<object>();
  return (value) => {
    if (typeof value !== "object" || value === null) return fits(value);
    if (fitting.has(value)) return true;
    if (!fits(value)) return false;
    fitting.add(value);
    return true;
  };
}

/** Any list, taken as it is. */
export const list = z.custom<readonly unknown[]>(Array.isArray, { error: "must be a list" });

/** Any object, taken as it is: a walk over its keys would cost what its caller decides. The body was parsed from JSON text and holds nothing else. */
export const anyObject = z.custom<JsonObject>((value) => isObject(value as JsonValue), { error: "must be an object" });

/** At most 200 characters, for keys are the caller's own words. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("")
    .slice(0, 200);
}
