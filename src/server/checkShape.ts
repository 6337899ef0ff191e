// Holds a value against a zod shape; the first fault becomes a caller failure that names the field. Knows no shape itself.
import type { z } from "zod";
import { failure, PostelError } from "../core/failures.ts";

/** @throws PostelError `invalid_request` with `details.param`, a path such as `messages[1].role`. */
export function checkShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = fieldPath(issue?.path ?? []);
  const what = issue?.message ?? "is not what is expected";
  if (param === "") throw new PostelError(failure("invalid_request", `The body is refused: ${what}.`));
  throw new PostelError(failure("invalid_request", `\`${param}\` is refused: ${what}.`, { param }));
}

/** At most 200 characters, for keys are the caller's own words. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("")
    .slice(0, 200);
}
