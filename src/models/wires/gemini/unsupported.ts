// Creates the error for a field that the Gemini wire cannot express.
import { createFailure, PostelError } from "../../../core/failures.ts";

/** `what` continues the text "The Gemini API" and contains no secret. */
export function createUnsupportedError(param: string, problem: string): PostelError {
  return new PostelError(createFailure("unsupported_parameter", `The Gemini API ${problem}.`, { param }));
}
