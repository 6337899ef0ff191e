// The value of `--input`: a JSON object. Knows no command.
import { failure, PostelError } from "../core/failures.ts";
import { isObject, type JsonObject } from "../core/messages.ts";

/** @throws PostelError `invalid_request` for anything else. */
export function inputOf(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new PostelError(failure("invalid_request", `--input: expected a JSON object, as in --input '{"query": "…"}'.`));
}
