// How the Gemini wire says that it has no word for something. Knows no field.
import { createFailure, PostelError } from "../../../core/failures.ts";

/** `what` goes on after "The Gemini API" and names no secret. */
export function createUnsupportedError(param: string, what: string): PostelError {
  return new PostelError(createFailure("unsupported_parameter", `The Gemini API ${what}.`, { param }));
}
