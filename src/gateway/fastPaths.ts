// Reads the switch of the fast paths: second, cheaper ways to a result that a normal way gives too.
import { createFailure, PostelError } from "../core/failures.ts";

/** Name of the environment variable. */
const VARIABLE = "POSTEL_FAST_PATHS";

/**
 * Returns false if `POSTEL_FAST_PATHS` is `off`: every answer then takes the normal way. Returns true if it is `on`, empty or
 * not set. @throws PostelError `invalid_configuration` for any other value.
 */
export function readFastPaths({ [VARIABLE]: value = "" }: Readonly<Record<string, string | undefined>>): boolean {
  if (value === "off") return false;
  if (value === "on" || value === "") return true;
  const message = `The environment variable ${VARIABLE} is ${JSON.stringify(value.slice(0, 40))}; set it to \`on\` or \`off\`, or leave it out.`;
  throw new PostelError(createFailure("invalid_configuration", message));
}
