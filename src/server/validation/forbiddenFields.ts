// Fields that no request to a model may have, whatever its wire: too many, and those that would choose who serves it. Knows no other field.
import { createFailure, PostelError } from "../../core/failures.ts";
import { isRoutingField } from "../../models/request/routingFields.ts";

/** Fields of a request: the wires know about forty, and what they do not know is passed on. */
const MAX_FIELDS = 256;

/** Before anything looks at a field. @throws PostelError `invalid_request`. */
export function refuseManyFields(raw: unknown): void {
  if (typeof raw !== "object" || Object.keys(raw ?? {}).length <= MAX_FIELDS) return;
  throw new PostelError(createFailure("invalid_request", `The body has more than ${MAX_FIELDS} fields of its own.`));
}

/**
 * @param read the fields that the gateway reads itself and hands on to nobody.
 * @throws PostelError `unsupported_parameter` that names the field.
 */
export function refuseRouting(body: Readonly<Record<string, unknown>>, read: ReadonlySet<string>): void {
  for (const param in body) {
    if (read.has(param) || body[param] === null || !isRoutingField(param)) continue;
    const message = `\`${param}\` is not taken from callers: which server is asked, and with which key and headers, is the operator's to say.`;
    throw new PostelError(createFailure("unsupported_parameter", message, { param }));
  }
}
